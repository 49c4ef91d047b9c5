// TechEmpower's tests on Go's own net/http.
package main

import (
	"encoding/json"
	"net/http"
)

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte(body))
	}
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

func main() {
	http.HandleFunc("/pong", text("PONG"))
	http.HandleFunc("/plaintext", text("Hello, World!"))
	http.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]string{"message": "Hello, World!"}, nil)
	})
	http.HandleFunc("/db", func(w http.ResponseWriter, r *http.Request) {
		world, err := read(r.Context(), r.URL.Query().Get("id"))
		answer(w, world, err)
	})
	http.HandleFunc("/queries", func(w http.ResponseWriter, r *http.Request) {
		worlds, err := several(r.Context(), r.URL.Query().Get("queries"))
		answer(w, worlds, err)
	})
	http.HandleFunc("/updates", func(w http.ResponseWriter, r *http.Request) {
		worlds, err := changed(r.Context(), r.URL.Query().Get("queries"))
		answer(w, worlds, err)
	})
	http.HandleFunc("/fortunes", func(w http.ResponseWriter, r *http.Request) {
		found, err := fortunes(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page.Execute(w, found)
	})
	serve(http.DefaultServeMux)
}
