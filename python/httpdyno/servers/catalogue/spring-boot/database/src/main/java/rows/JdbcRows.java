package rows;

import java.util.List;
import java.util.stream.IntStream;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/** By JdbcTemplate. */
@Profile("jdbc")
@Repository
public class JdbcRows implements Rows {
  private final JdbcTemplate jdbc;

  public JdbcRows(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @Override
  public World read(int id) {
    return jdbc.queryForObject(
        "SELECT id, randomnumber FROM world WHERE id = ?",
        (row, number) -> new World(row.getInt("id"), row.getInt("randomnumber")),
        id);
  }

  @Override
  public List<World> several(IntStream ids) {
    return ids.mapToObj(this::read).toList();
  }

  @Override
  public List<World> changed(IntStream ids) {
    List<World> worlds = several(ids);
    worlds.forEach(world -> world.setRandomNumber(Numbers.drawn()));
    jdbc.batchUpdate(
        "UPDATE world SET randomnumber = ? WHERE id = ?",
        worlds.stream()
            .map(world -> new Object[] {world.getRandomNumber(), world.getId()})
            .toList());
    return worlds;
  }

  @Override
  public List<Fortune> fortunes() {
    return jdbc.query(
        "SELECT id, message FROM fortune",
        (row, number) -> new Fortune(row.getInt("id"), row.getString("message")));
  }
}
