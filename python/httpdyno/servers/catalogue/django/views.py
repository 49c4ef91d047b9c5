"""The workloads as Django views."""

import pages
from django.http import FileResponse, HttpResponse


def pong(request):
    return HttpResponse("PONG", content_type="text/plain")


def hello(request):
    return HttpResponse("Hello, world!", content_type="text/plain")


def echo(request):
    return HttpResponse(pages.echo(request.GET.get("value")), content_type="text/xml")


def bigtable(request):
    return HttpResponse(pages.bigtable())


def picture(request):
    return FileResponse(pages.PICTURE.open("rb"))
