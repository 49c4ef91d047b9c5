"""The tables of TechEmpower's tests."""

from django.db import models


class World(models.Model):
    id = models.IntegerField(primary_key=True)
    randomNumber = models.IntegerField(db_column="randomnumber")  # noqa: N815

    class Meta:
        db_table = "world"
        managed = False


class Fortune(models.Model):
    id = models.IntegerField(primary_key=True)
    message = models.CharField(max_length=2048)

    class Meta:
        db_table = "fortune"
        managed = False
