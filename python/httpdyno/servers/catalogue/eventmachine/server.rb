# The workloads on EventMachine: a connection is an EM::Connection, its requests are parsed by http_parser.rb.
# usage: ruby server.rb HOST PORT FILES PROCESSES
require "cgi"
require "eventmachine"
require "http/parser"
require "socket"
require "time"
require "uri"

class Pages < EM::Connection
  class << self
    attr_accessor :files
  end

  def post_init
    @parser = Http::Parser.new
    @parser.on_message_complete = method(:answer)
  end

  def receive_data(data)
    @parser << data
  rescue Http::Parser::Error
    send_data "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    close_connection_after_writing
  end

  private

  def answer
    path, query = @parser.request_url.sub(%r{\Ahttp://[^/]*}, "").split("?", 2)
    status, type, body = page(path, query)
    kept = @parser.keep_alive?
    send_data "HTTP/1.1 #{status}\r\n" \
              "Date: #{Time.now.httpdate}\r\n" \
              "Content-Type: #{type}\r\n" \
              "Content-Length: #{body.bytesize}\r\n" \
              "Connection: #{kept ? "keep-alive" : "close"}\r\n\r\n" \
              "#{body unless @parser.http_method == "HEAD"}"
    close_connection_after_writing unless kept
  end

  def page(path, query)
    case path
    when "/pong" then ["200 OK", "text/plain", "PONG"]
    when "/hello" then ["200 OK", "text/plain", "Hello, world!"]
    when "/echo" then ["200 OK", "text/xml", echo(query)]
    when "/file.png" then ["200 OK", "image/png", File.binread(File.join(self.class.files, "file.png"))]
    when "/bigtable" then ["200 OK", "text/html", bigtable]
    else ["404 Not Found", "text/plain", "not found"]
    end
  end

  def echo(query)
    value = URI.decode_www_form(query.to_s).assoc("value")&.last
    page = value ? "<value>#{CGI.escapeHTML(value)}</value>" : "<error>no value specified</error>"
    "<http_test>#{page}</http_test>"
  end

  def bigtable
    rows = Array.new(1000) { "<tr>#{(1..50).map { |number| "<td>#{number}</td>" }.join}</tr>" }
    "<table>#{rows.join}</table>"
  end
end

host, port, Pages.files, processes = ARGV
socket = TCPServer.new(host, port.to_i)
socket.listen(1024)

# Several processes share the listening socket; each has an event loop of its own.
def serve(socket)
  trap("TERM") { EM.stop }
  EM.run { EM.attach_server(socket, Pages) }
end

if processes.to_i == 1
  serve(socket)
else
  children = Array.new(processes.to_i) { fork { serve(socket) } }
  trap("TERM") { Process.kill("TERM", *children) }
  Process.waitall
end
