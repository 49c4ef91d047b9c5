package rows;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Fortune extends PanacheEntityBase {
  @Id public Integer id;
  public String message;

  public Fortune() {}

  public Fortune(Integer id, String message) {
    this.id = id;
    this.message = message;
  }
}
