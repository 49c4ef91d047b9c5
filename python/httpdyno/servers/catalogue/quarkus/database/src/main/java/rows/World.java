package rows;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class World extends PanacheEntityBase {
  @Id public Integer id;

  @Column(name = "randomnumber")
  public int randomNumber;
}
