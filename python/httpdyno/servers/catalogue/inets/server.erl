%% The workloads on inets' httpd: a module of ours for the pages, its mod_get for the file.
-module(server).
-export([main/1, do/1, version/0]).
-include_lib("inets/include/httpd.hrl").

main([Host, Port, Files]) ->
    {ok, Address} = inet:parse_address(Host),
    ok = inets:start(),
    {ok, _} = inets:start(httpd, [
        {bind_address, Address},
        {port, list_to_integer(Port)},
        {server_name, Host},
        {server_root, Files},
        {document_root, Files},
        {modules, [?MODULE, mod_get, mod_head]},
        {mime_types, [{"png", "image/png"}]},
        {max_clients, 10000}
    ]).

do(#mod{request_uri = Uri, data = Data}) ->
    Parsed = uri_string:parse(Uri),
    case page(maps:get(path, Parsed), maps:get(query, Parsed, "")) of
        next -> {proceed, Data};
        {Type, Body} -> {proceed, [{response, {response, head(Type, Body), Body}} | Data]}
    end.

head(Type, Body) ->
    [{code, 200}, {content_type, Type}, {content_length, integer_to_list(iolist_size(Body))}].

page("/pong", _) -> {"text/plain", "PONG"};
page("/hello", _) -> {"text/plain", "Hello, world!"};
page("/echo", Query) -> {"text/xml", echo(uri_string:dissect_query(Query))};
page("/bigtable", _) -> {"text/html", bigtable()};
page(_, _) -> next.

echo(Query) ->
    case lists:keyfind("value", 1, Query) of
        false -> "<http_test><error>no value specified</error></http_test>";
        {_, Value} -> ["<http_test><value>", xmerl_lib:export_text(Value), "</value></http_test>"]
    end.

bigtable() -> ["<table>", [row() || _ <- lists:seq(1, 1000)], "</table>"].

row() -> ["<tr>", [["<td>", integer_to_list(N), "</td>"] || N <- lists:seq(1, 50)], "</tr>"].

version() ->
    ok = application:load(inets),
    {ok, Version} = application:get_key(inets, vsn),
    io:format("~s on Erlang/OTP ~s~n", [Version, erlang:system_info(otp_release)]),
    halt().
