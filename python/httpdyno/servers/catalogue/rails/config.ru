# Rails as `rails new --api` writes it for production, in one file. Left out, as `rails new` can leave them out, because
# nothing here would use them: Active Record and what needs a database (--skip-active-record, -storage, -mailbox,
# -text), mail (--skip-action-mailer), web sockets (--skip-action-cable). The stack of middleware is the stock one.
require "rails"
require "active_model/railtie"
require "active_job/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "./production"

class Pages < Rails::Application
  Production.configure(config)

  routes.append do
    get "/pong", to: "pages#pong"
    get "/hello", to: "pages#hello"
    get "/echo", to: "pages#echo"
    get "/file.png", to: "pages#file"
    get "/bigtable", to: "pages#bigtable"
  end
end

class PagesController < ActionController::API
  def pong
    render plain: "PONG"
  end

  def hello
    render plain: "Hello, world!"
  end

  def echo
    value = params[:value]
    page = value ? "<value>#{ERB::Util.h(value)}</value>" : "<error>no value specified</error>"
    render body: "<http_test>#{page}</http_test>", content_type: "text/xml"
  end

  def file
    send_file File.join(ENV.fetch("FILES"), "file.png"), type: "image/png", disposition: "inline"
  end

  def bigtable
    rows = Array.new(1000) { "<tr>#{(1..50).map { |number| "<td>#{number}</td>" }.join}</tr>" }
    render html: "<table>#{rows.join}</table>".html_safe
  end
end

Pages.initialize!
run Pages
