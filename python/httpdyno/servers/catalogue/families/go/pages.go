// The pages of the workloads, and what a program is started with.
package main

import (
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
)

// address is HOST:PORT, picture the path of the file.
var address, picture = arguments()

// arguments reads `server HOST:PORT FILES`. `server --version MODULE` prints the version of a module and of Go.
func arguments() (string, string) {
	if os.Args[1] == "--version" {
		fmt.Println(version(os.Args[2]), "on", runtime.Version())
		os.Exit(0)
	}
	return os.Args[1], filepath.Join(os.Args[2], "file.png")
}

func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "unknown"
}

// serve runs listen until SIGTERM, and then stop.
func serve(listen func() error, stop func() error) {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	failed := make(chan error, 1)
	go func() { failed <- listen() }()
	select {
	case err := <-failed:
		log.Fatal(err)
	case <-terminated:
		if err := stop(); err != nil {
			log.Fatal(err)
		}
	}
}

var xml = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// echoPage is the page of a value, or that of none.
func echoPage(value string, given bool) string {
	if !given {
		return "<http_test><error>no value specified</error></http_test>"
	}
	return fmt.Sprintf("<http_test><value>%s</value></http_test>", xml.Replace(value))
}

func bigtablePage() string {
	var page strings.Builder
	page.WriteString("<table>")
	for row := 0; row < 1000; row++ {
		page.WriteString("<tr>")
		for column := 1; column <= 50; column++ {
			fmt.Fprintf(&page, "<td>%d</td>", column)
		}
		page.WriteString("</tr>")
	}
	page.WriteString("</table>")
	return page.String()
}
