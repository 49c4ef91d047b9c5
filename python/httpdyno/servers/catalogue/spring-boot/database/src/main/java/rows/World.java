package rows;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class World {
  @Id private Integer id;

  @Column(name = "randomnumber")
  private int randomNumber;

  protected World() {}

  public World(Integer id, int randomNumber) {
    this.id = id;
    this.randomNumber = randomNumber;
  }

  public Integer getId() {
    return id;
  }

  public int getRandomNumber() {
    return randomNumber;
  }

  public void setRandomNumber(int randomNumber) {
    this.randomNumber = randomNumber;
  }
}
