package rows;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Fortune {
  @Id private Integer id;
  private String message;

  protected Fortune() {}

  public Fortune(Integer id, String message) {
    this.id = id;
    this.message = message;
  }

  public Integer getId() {
    return id;
  }

  public String getMessage() {
    return message;
  }
}
