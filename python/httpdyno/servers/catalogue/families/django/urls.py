"""The paths of the workloads."""

import views
from django.urls import path

urlpatterns = [
    path("pong", views.pong),
    path("hello", views.hello),
    path("echo", views.echo),
    path("bigtable", views.bigtable),
    path("file.png", views.picture),
]
