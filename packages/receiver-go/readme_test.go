package receiver_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Returns the Go blocks of the README, in order.
func blocksOfReadme(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(string(text), "```go\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// Makes a module as the quick start describes, and builds it.
func build(t *testing.T, source string) string {
	t.Helper()
	folder := t.TempDir()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{
		{"mod", "init", "example.com/hook"},
		{"mod", "edit", "-replace", "github.com/agent-herald/agent-herald/packages/receiver-go=" + here},
		{"mod", "tidy"},
		{"build", "-o", "hook", "."},
	}
	for _, arguments := range commands {
		command := exec.Command("go", arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, output)
		}
	}
	return filepath.Join(folder, "hook")
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestTheReadmeQuickStartReceivesADelivery(t *testing.T) {
	body := bodyOf("evt_1", `,"test":true`)
	expectReceived(t, blocksOfReadme(t)[0], []string{"WEBHOOK_SECRET=" + secret}, signedRequest("evt_1", body).Header, body)
}

func TestTheReadmeQuickStartNeedsNoSharedSecret(t *testing.T) {
	blocks := blocksOfReadme(t)
	const line = `	verifier, err := receiver.NewVerifier([]string{os.Getenv("WEBHOOK_SECRET")})` + "\n"
	if !strings.Contains(blocks[0], line) {
		t.Fatal("the quick start has another verifier")
	}
	server, key := newKeyServer(t), newKey(t)
	server.serveKeys(key)
	header, body := entryHeader(key, server.now(), "")
	variables := []string{"WEBHOOK_KEYS=" + server.URL, "WEBHOOK_UID=" + webhookUID}
	expectReceived(t, strings.Replace(blocks[0], line, blocks[1], 1), variables, header, string(body))
}

// Runs the program, with the variables, and sends it a delivery.
func expectReceived(t *testing.T, source string, variables []string, header http.Header, body string) {
	t.Helper()
	const address = "localhost:4000"
	if !strings.Contains(source, address) {
		t.Fatalf("the quick start does not listen on %s", address)
	}
	free := freeAddress(t)
	program := exec.Command(build(t, strings.Replace(source, address, free, 1)))
	program.Env = append(os.Environ(), variables...)
	var output bytes.Buffer
	program.Stderr = &output
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	status := sendUntilAnswered(t, "http://"+free+"/hook", header, body)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The process was killed, so it ends with an error.
	_ = program.Wait()
	if status != http.StatusNoContent || !strings.Contains(output.String(), "the agent is called Ada") {
		t.Errorf("answered %d, printed %q", status, output.String())
	}
}

func sendUntilAnswered(t *testing.T, url string, header http.Header, body string) int {
	t.Helper()
	var err error
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		request, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		request.Header = header
		var response *http.Response
		if response, err = http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
			return response.StatusCode
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal(fmt.Errorf("no answer: %w", err))
	return 0
}

// A database that prints the statements it executes.
const databaseOfTest = `
type database struct{ driver.Driver }
type connection struct{ driver.Conn }

var _ receiver.DeliveryStore = &Store{}

func (database) Open(string) (driver.Conn, error) { return connection{}, nil }

func (connection) ExecContext(_ context.Context, query string, values []driver.NamedValue) (driver.Result, error) {
	fmt.Print(strings.Fields(query)[0])
	for _, value := range values {
		fmt.Print(" ", value.Value)
	}
	fmt.Println()
	return driver.RowsAffected(1), nil
}

func main() {
	sql.Register("test", database{})
	db, _ := sql.Open("test", "")
	store, ctx := &Store{DB: db}, context.Background()
	fmt.Println(store.Claim(ctx, "evt_1", "a"))
	fmt.Println(store.Complete(ctx, "evt_1", "b"), store.Release(ctx, "evt_1", "c"))
}
`

func TestTheReadmeStorePassesTokensOn(t *testing.T) {
	store := strings.Replace(blocksOfReadme(t)[2], "package hook", "package main", 1)
	imports := "import (\n\t\"database/sql/driver\"\n\t\"fmt\"\n\t\"strings\"\n"
	program := build(t, strings.Replace(store, "import (\n", imports, 1)+databaseOfTest)
	output, err := exec.Command(program).Output()
	want := "INSERT evt_1 a 300\nnew <nil>\nINSERT evt_1 b\nDELETE evt_1 c\n<nil> <nil>\n"
	if string(output) != want || err != nil {
		t.Errorf("got %q, %v, want %q", output, err, want)
	}
}
