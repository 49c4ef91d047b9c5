package rows;

import java.util.List;
import java.util.stream.IntStream;

/** The rows in the database. */
public interface Rows {
  World read(int id);

  List<World> several(IntStream ids);

  /** Reads the rows of these ids, and gives each another number. */
  List<World> changed(IntStream ids);

  List<Fortune> fortunes();
}
