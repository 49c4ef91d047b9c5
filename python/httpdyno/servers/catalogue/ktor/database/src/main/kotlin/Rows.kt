import java.sql.Connection
import java.util.stream.IntStream
import javax.sql.DataSource
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import kotlinx.serialization.Serializable
import rows.Numbers

@Serializable
data class World(val id: Int, val randomNumber: Int)

data class Fortune(val id: Int, val message: String)

/** The rows in the database, by JDBC on the dispatcher for blocking calls. */
class Rows(private val pool: DataSource) {
    suspend fun read(id: Int): World = connected { it.world(id) }

    suspend fun several(ids: IntStream): List<World> = connected { it.worlds(ids) }

    suspend fun changed(ids: IntStream): List<World> = connected { connection ->
        val worlds = connection.worlds(ids).map { it.copy(randomNumber = Numbers.drawn()) }
        connection.prepareStatement("UPDATE world SET randomnumber = ? WHERE id = ?").use {
            for (world in worlds) {
                it.setInt(1, world.randomNumber)
                it.setInt(2, world.id)
                it.addBatch()
            }
            it.executeBatch()
        }
        worlds
    }

    suspend fun fortunes(): List<Fortune> = connected { connection ->
        connection.prepareStatement("SELECT id, message FROM fortune").use { statement ->
            val rows = statement.executeQuery()
            buildList { while (rows.next()) add(Fortune(rows.getInt("id"), rows.getString("message"))) }
        }
    }

    private suspend fun <T> connected(work: (Connection) -> T): T =
        withContext(Dispatchers.IO) { pool.connection.use(work) }

    private fun Connection.worlds(ids: IntStream): List<World> = ids.mapToObj { world(it) }.toList()

    private fun Connection.world(id: Int): World =
        prepareStatement("SELECT id, randomnumber FROM world WHERE id = ?").use { statement ->
            statement.setInt(1, id)
            val row = statement.executeQuery()
            check(row.next())
            World(row.getInt("id"), row.getInt("randomnumber"))
        }
}
