// The rows of TechEmpower's tests, with pgx's pool as its documentation uses it.
package main

import (
	"cmp"
	"context"
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

// read reads the row of an id; of none, any row.
func read(ctx context.Context, id string) (World, error) {
	number, err := strconv.Atoi(id)
	if err != nil {
		number = drawn()
	}
	return row(ctx, number)
}

func row(ctx context.Context, id int) (World, error) {
	var world World
	row := pool.QueryRow(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", id)
	return world, row.Scan(&world.ID, &world.RandomNumber)
}

// several reads as many rows as the text says: 1 to 500.
func several(ctx context.Context, queries string) ([]World, error) {
	number, err := strconv.Atoi(queries)
	if err != nil {
		number = 1
	}
	worlds := make([]World, min(max(number, 1), 500))
	for n := range worlds {
		if worlds[n], err = row(ctx, drawn()); err != nil {
			return nil, err
		}
	}
	return worlds, nil
}

// changed reads as many rows as the text says, and gives each another number.
func changed(ctx context.Context, queries string) ([]World, error) {
	worlds, err := several(ctx, queries)
	if err != nil {
		return nil, err
	}
	// In one order, so that no two requests wait for each other's rows.
	slices.SortFunc(worlds, func(a, b World) int { return cmp.Compare(a.ID, b.ID) })
	batch := &pgx.Batch{}
	for n := range worlds {
		worlds[n].RandomNumber = drawn()
		batch.Queue("UPDATE world SET randomnumber = $1 WHERE id = $2", worlds[n].RandomNumber, worlds[n].ID)
	}
	return worlds, pool.SendBatch(ctx, batch).Close()
}

// fortunes reads all of them and adds one, in the order of their messages.
func fortunes(ctx context.Context) ([]Fortune, error) {
	rows, _ := pool.Query(ctx, "SELECT id, message FROM fortune")
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Fortune])
	if err != nil {
		return nil, err
	}
	found = append(found, Fortune{0, "Additional fortune added at request time."})
	slices.SortFunc(found, func(a, b Fortune) int { return cmp.Compare(a.Message, b.Message) })
	return found, nil
}

// serve serves with a pool until SIGTERM.
func serve(handler http.Handler) {
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	if pool, err = pgxpool.New(ended, os.Getenv("DATABASE_URL")); err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: os.Args[1], Handler: handler}
	go func() {
		<-ended.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
