# Prints the version of Goliath, or names what is missing.
begin
  require "goliath"
rescue LoadError => error
  abort "#{error.message}: add its `lib` folder to RUBYLIB (#{ENV["RUBYLIB"]})"
end

Goliath.run_app_on_exit = false
puts "#{Goliath::VERSION} on Ruby #{RUBY_VERSION}"
