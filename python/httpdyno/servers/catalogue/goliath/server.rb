# The workloads on Goliath: an API that answers by the path of the request.
# usage: ruby server.rb -e production -a HOST -p PORT --files FOLDER
require "cgi"
require "goliath"
require "rack/utils"

class Pages < Goliath::API
  def options_parser(parser, options)
    parser.on("--files FOLDER", "Folder of file.png") { |folder| options[:files] = folder }
  end

  def response(env)
    case env["PATH_INFO"]
    when "/pong" then page("text/plain", "PONG")
    when "/hello" then page("text/plain", "Hello, world!")
    when "/echo" then page("text/xml", echo(env["QUERY_STRING"]))
    when "/file.png" then page("image/png", File.binread(File.join(env["options"][:files], "file.png")))
    when "/bigtable" then page("text/html", bigtable)
    else [404, { "Content-Type" => "text/plain" }, "not found"]
    end
  end

  private

  def page(type, body)
    [200, { "Content-Type" => type }, body]
  end

  # Goliath's own middleware for parameters needs a constant that Rack 2 no longer has.
  def echo(query)
    value = Rack::Utils.parse_query(query)["value"]
    page = value ? "<value>#{CGI.escapeHTML(value)}</value>" : "<error>no value specified</error>"
    "<http_test>#{page}</http_test>"
  end

  def bigtable
    rows = Array.new(1000) { "<tr>#{(1..50).map { |number| "<td>#{number}</td>" }.join}</tr>" }
    "<table>#{rows.join}</table>"
  end
end
