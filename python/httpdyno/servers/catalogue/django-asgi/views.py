"""The workloads as asynchronous Django views."""

import pages
from django.http import FileResponse, HttpResponse


async def pong(request):
    return HttpResponse("PONG", content_type="text/plain")


async def hello(request):
    return HttpResponse("Hello, world!", content_type="text/plain")


async def echo(request):
    return HttpResponse(pages.echo(request.GET.get("value")), content_type="text/xml")


async def bigtable(request):
    return HttpResponse(pages.bigtable())


async def picture(request):
    return FileResponse(pages.PICTURE.open("rb"))
