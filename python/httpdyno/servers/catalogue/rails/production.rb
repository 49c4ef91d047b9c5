# The settings of config/environments/production.rb that `rails new` writes.
module Production
  def self.configure(config)
    config.load_defaults 6.1
    config.api_only = true
    config.cache_classes = true
    config.eager_load = true
    config.consider_all_requests_local = false
    config.public_file_server.enabled = false
    config.i18n.fallbacks = true
    config.active_support.deprecation = :notify
    config.log_level = :warn # there `:info`, which is a log of every request
    config.logger = ActiveSupport::TaggedLogging.new(ActiveSupport::Logger.new($stdout))
    config.secret_key_base = ENV.fetch("SECRET_KEY_BASE") { SecureRandom.hex(64) }
  end
end
