package enginetest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
)

// paintVictim is the name of the child that paints until it is killed, and paintServers,
// in its environment, the addresses of the servers that it uses.
const (
	paintVictim  = "paint"
	paintServers = "GHOSTLIGHT_ENGINE_PAINTS"
)

// paintAway works the queue off on servers that outlive it.
func paintAway(dir string) error {
	ollama, comfy, _ := strings.Cut(os.Getenv(paintServers), " ")
	e, err := engine.Open(config.Config{DataDir: dir, Ollama: ollama, Comfy: []string{comfy}, Model: demo.Model,
		LockWait: 5 * time.Second})
	if err != nil {
		return err
	}
	feed := e.Follow()
	defer feed.Close()
	if err := e.Start(); err != nil {
		return err
	}
	for {
		ev, err := feed.Next(context.Background())
		if err != nil {
			return err
		}
		if p, ok := ev.(queue.Progressed); ok && p.Type == pictures.OpCaptureSend {
			fmt.Println("at it")
		}
	}
}

// PaintedAway lets a child process run the queue, and kills it after a number of steps of a
// painting.
func (s *Harness) PaintedAway(t *testing.T, steps int) {
	t.Helper()
	s.Shut()
	cmd := Child(t, s.Cfg.DataDir, paintVictim, paintServers+"="+s.Servers.OllamaURL+" "+s.Servers.ComfyURL)
	out, err := cmd.StdoutPipe()
	Must(t, err)
	Must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for ; steps > 0 && lines.Scan(); steps-- {
	}
	Must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	s.Open()
}
