"""The tables of TechEmpower's tests, as SQLAlchemy's documentation declares them."""

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class World(Base):
    __tablename__ = "world"
    id: Mapped[int] = mapped_column(primary_key=True)
    randomNumber: Mapped[int] = mapped_column("randomnumber")  # noqa: N815

    def shown(self):
        return {"id": self.id, "randomNumber": self.randomNumber}


class Fortune(Base):
    __tablename__ = "fortune"
    id: Mapped[int] = mapped_column(primary_key=True)
    message: Mapped[str]
