# The application on WEBrick, as `rails server` started it in 2010, without WEBrick's log of every request.
# usage: ruby webrick.rb HOST PORT [nodelay]
require "rack"
require "webrick"

host, port, nodelay = ARGV
application, = Rack::Builder.parse_file(File.join(__dir__, "config.ru"))
options = {
  Host: host,
  Port: port.to_i,
  AccessLog: [],
  Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN)
}
if nodelay
  options[:AcceptCallback] = ->(socket) { socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true) }
end
Rack::Handler::WEBrick.run(application, **options) do |server|
  trap("TERM") { server.shutdown }
end
