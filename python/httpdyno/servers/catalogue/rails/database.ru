# TechEmpower's tests on Rails with Active Record, in one file, with the settings of `rails new` for production. Active
# Record finds the database in DATABASE_URL, and has a connection for each of puma's five threads.
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "./production"

class Rows < Rails::Application
  Production.configure(config)

  routes.append do
    get "/pong", to: "rows#pong"
    get "/json", to: "rows#json"
    get "/plaintext", to: "rows#plaintext"
    get "/db", to: "rows#db"
    get "/queries", to: "rows#queries"
    get "/fortunes", to: "rows#fortunes"
    get "/updates", to: "rows#updates"
  end
end

class World < ActiveRecord::Base
  self.table_name = "world"

  def as_json(*)
    { id: id, randomNumber: randomnumber }
  end
end

class Fortune < ActiveRecord::Base
  self.table_name = "fortune"
end

class RowsController < ActionController::Base
  IDS = (1..10_000).to_a
  prepend_view_path "views"

  def pong
    render plain: "PONG"
  end

  def json
    render json: { message: "Hello, World!" }
  end

  def plaintext
    render plain: "Hello, World!"
  end

  def db
    render json: World.find(params.fetch(:id) { IDS.sample })
  end

  def queries
    render json: several
  end

  def fortunes
    @fortunes = Fortune.all.to_a
    @fortunes << Fortune.new(id: 0, message: "Additional fortune added at request time.")
    @fortunes.sort_by!(&:message)
    render layout: false
  end

  def updates
    worlds = several
    World.transaction do
      worlds.each { |world| world.update!(randomnumber: IDS.sample) }
    end
    render json: worlds
  end

  private

  # Different rows, because Active Record keeps the results of a request's queries, and in one order, so that no two
  # requests wait for each other's rows.
  def several
    IDS.sample(params[:queries].to_i.clamp(1, 500)).sort.map { |id| World.find(id) }
  end
end

Rows.initialize!
run Rows
