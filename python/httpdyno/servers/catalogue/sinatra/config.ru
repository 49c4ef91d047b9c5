require "sinatra/base"

class Pages < Sinatra::Base
  set :files, ENV.fetch("FILES")
  set :default_content_type, "text/plain"

  get "/pong" do
    "PONG"
  end

  get "/hello" do
    "Hello, world!"
  end

  get "/echo" do
    content_type "text/xml"
    value = params["value"]
    page = value ? "<value>#{Rack::Utils.escape_html(value)}</value>" : "<error>no value specified</error>"
    "<http_test>#{page}</http_test>"
  end

  get "/file.png" do
    send_file File.join(settings.files, "file.png")
  end

  get "/bigtable" do
    content_type "text/html"
    rows = Array.new(1000) { "<tr>#{(1..50).map { |number| "<td>#{number}</td>" }.join}</tr>" }
    "<table>#{rows.join}</table>"
  end
end

run Pages
