# The application on WEBrick, as `rails server` started it in 2010, without WEBrick's log of every request.
require "rack"
require "webrick"

host, port = ARGV
application, = Rack::Builder.parse_file(File.join(__dir__, "config.ru"))
log = WEBrick::Log.new($stderr, WEBrick::Log::WARN)
Rack::Handler::WEBrick.run(application, Host: host, Port: port.to_i, AccessLog: [], Logger: log) do |server|
  trap("TERM") { server.shutdown }
end
