// TechEmpower's tests on Go's own net/http, with pgx's pool as its documentation uses it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"html/template"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type World struct {
	ID           int `json:"id"`
	RandomNumber int `json:"randomNumber"`
}

type Fortune struct {
	ID      int
	Message string
}

var page = template.Must(template.New("fortunes").Parse(`<!DOCTYPE html>
<html>
<head><title>Fortunes</title></head>
<body>
<table>
<tr><th>id</th><th>message</th></tr>
{{range .}}<tr><td>{{.ID}}</td><td>{{.Message}}</td></tr>
{{end}}</table>
</body>
</html>
`))

var pool *pgxpool.Pool

func drawn() int {
	return rand.IntN(10000) + 1
}

func number(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("queries"))
	if err != nil {
		return 1
	}
	return min(max(n, 1), 500)
}

func read(ctx context.Context, id int) (World, error) {
	var world World
	row := pool.QueryRow(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", id)
	return world, row.Scan(&world.ID, &world.RandomNumber)
}

func several(r *http.Request) ([]World, error) {
	worlds := make([]World, number(r))
	for n := range worlds {
		world, err := read(r.Context(), drawn())
		if err != nil {
			return nil, err
		}
		worlds[n] = world
	}
	return worlds, nil
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

func hello(w http.ResponseWriter, r *http.Request) {
	answer(w, map[string]string{"message": "Hello, World!"}, nil)
}

func plaintext(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	w.Write([]byte("Hello, World!"))
}

func db(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.URL.Query().Get("id"))
	if err != nil {
		id = drawn()
	}
	world, err := read(r.Context(), id)
	answer(w, world, err)
}

func queries(w http.ResponseWriter, r *http.Request) {
	worlds, err := several(r)
	answer(w, worlds, err)
}

func fortunes(w http.ResponseWriter, r *http.Request) {
	rows, _ := pool.Query(r.Context(), "SELECT id, message FROM fortune")
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Fortune])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	found = append(found, Fortune{0, "Additional fortune added at request time."})
	slices.SortFunc(found, func(a, b Fortune) int { return cmp.Compare(a.Message, b.Message) })
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page.Execute(w, found)
}

func updates(w http.ResponseWriter, r *http.Request) {
	worlds, err := several(r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	// In one order, so that no two requests wait for each other's rows.
	slices.SortFunc(worlds, func(a, b World) int { return cmp.Compare(a.ID, b.ID) })
	batch := &pgx.Batch{}
	for n := range worlds {
		worlds[n].RandomNumber = drawn()
		batch.Queue("UPDATE world SET randomnumber = $1 WHERE id = $2", worlds[n].RandomNumber, worlds[n].ID)
	}
	answer(w, worlds, pool.SendBatch(r.Context(), batch).Close())
}

func main() {
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	pool, err = pgxpool.New(ended, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/pong", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("PONG")) })
	http.HandleFunc("/json", hello)
	http.HandleFunc("/plaintext", plaintext)
	http.HandleFunc("/db", db)
	http.HandleFunc("/queries", queries)
	http.HandleFunc("/fortunes", fortunes)
	http.HandleFunc("/updates", updates)
	server := &http.Server{Addr: os.Args[1]}
	go func() {
		<-ended.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
