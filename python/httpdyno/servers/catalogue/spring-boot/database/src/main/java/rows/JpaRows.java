package rows;

import java.util.List;
import java.util.stream.IntStream;
import org.springframework.context.annotation.Profile;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** By repositories of Spring Data JPA. */
@Profile("jpa")
@Service
@Transactional(readOnly = true)
public class JpaRows implements Rows {
  private final Worlds worlds;
  private final Fortunes fortunes;

  public JpaRows(Worlds worlds, Fortunes fortunes) {
    this.worlds = worlds;
    this.fortunes = fortunes;
  }

  @Override
  public World read(int id) {
    return worlds.findById(id).orElseThrow();
  }

  @Override
  public List<World> several(IntStream ids) {
    return ids.mapToObj(this::read).toList();
  }

  @Override
  @Transactional
  public List<World> changed(IntStream ids) {
    List<World> found = several(ids);
    found.forEach(world -> world.setRandomNumber(Numbers.drawn()));
    return found;
  }

  @Override
  public List<Fortune> fortunes() {
    return fortunes.findAll();
  }
}

interface Worlds extends JpaRepository<World, Integer> {}

interface Fortunes extends JpaRepository<Fortune, Integer> {}
