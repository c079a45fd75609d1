package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func comfyServer(t *testing.T, opts ComfyOptions) (*Comfy, string) {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	c := NewComfy(opts)
	s := httptest.NewServer(c)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		s.Close()
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, ignore)
	})
	return c, s.URL
}

func comfyCall(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// TestComfy_RefusesLikeTheRealOne posts the requests of captured traffic and
// compares the answers, all but the descriptions of inputs.
func TestComfy_RefusesLikeTheRealOne(t *testing.T) {
	_, url := comfyServer(t, ComfyOptions{StepDelay: -1, Checkpoints: []string{}, Old: true})
	files, err := filepath.Glob("testdata/comfy/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rec struct {
			Request  json.RawMessage
			Status   int
			Response any
		}
		if err := json.Unmarshal(data, &rec); err != nil {
			t.Fatal(err)
		}
		status, body := comfyCall(t, "POST", url+"/api/prompt", string(rec.Request))
		var got any = body
		if status != 500 {
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatalf("%s: %v in %s", file, err, body)
			}
		}
		if status != rec.Status {
			t.Errorf("%s: status %d, want %d", file, status, rec.Status)
		}
		if diff := cmp.Diff(comfyPlain(rec.Response), comfyPlain(got)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// comfyPlain drops what differs from run to run or describes inputs at length,
// and the order of errors.
func comfyPlain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			switch k {
			case "input_config", "prompt_id", "number", "traceback":
			case "errors":
				byDetails := map[string]any{}
				for _, one := range e.([]any) {
					byDetails[one.(map[string]any)["details"].(string)] = comfyPlain(one)
				}
				out[k] = byDetails
			default:
				out[k] = comfyPlain(e)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = comfyPlain(e)
		}
		return out
	}
	return v
}

const comfyTestGraph = `{"prompt_id":"00000000-0000-4000-8000-000000000001","client_id":"me","extra_data":{"preview_method":"auto"},"prompt":{
	"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"ghostlight-demo.safetensors"}},
	"5":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":48,"batch_size":1}},
	"6":{"class_type":"CLIPTextEncode","inputs":{"text":"Señora 🎭","clip":["4",1]}}, "7":{"class_type":"CLIPTextEncode","inputs":{"text":"","clip":["4",1]}},
	"3":{"class_type":"KSampler","inputs":{"model":["4",0],"positive":["6",0],"negative":["7",0],"latent_image":["5",0],"seed":7,"steps":2,"cfg":7,"sampler_name":"euler","scheduler":"normal","denoise":1}},
	"8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]}}, "9":{"class_type":"SaveImage","inputs":{"images":["8",0],"filename_prefix":"a/b"}}}}`

// comfyFollow posts the test graph and lists the kinds of messages up to the
// end of the job.
func comfyFollow(t *testing.T, url string, flags bool) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// A socket that leaves takes its id along, so each has one of its own.
	client := fmt.Sprintf("me-%t", flags)
	conn, _, err := websocket.Dial(ctx, url+"/ws?clientId="+client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	kinds := []string{}
	read := func() (string, bool) {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.MessageBinary {
			return "binary" + string('0'+rune(data[3])), false
		}
		var m struct {
			Type string
			Data struct{ Node *string }
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		return m.Type, m.Type == "executing" && m.Data.Node == nil
	}
	if flags {
		if err := conn.Write(ctx, websocket.MessageText, []byte(`{"type":"feature_flags","data":{"supports_preview_metadata":true}}`)); err != nil {
			t.Fatal(err)
		}
		for k := ""; k != "feature_flags"; k, _ = read() {
		}
	}
	if !flags {
		read() // the greeting: from here on the server knows the client
	}
	if status, body := comfyCall(t, "POST", url+"/prompt", strings.Replace(comfyTestGraph, `"me"`, strconv.Quote(client), 1)); status != 200 {
		t.Fatal(body)
	}
	for {
		k, end := read()
		if k != "status" && k != "progress_state" {
			kinds = append(kinds, k)
		}
		if end {
			return kinds
		}
	}
}

func TestComfy_EventsInTheRealOrder(t *testing.T) {
	_, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	nodes := strings.Repeat("executing ", 5)
	want := "execution_start execution_cached " + nodes + "binary4 progress binary4 progress executing executing executed execution_success executing"
	if got := strings.Join(comfyFollow(t, url, true), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "execution_start execution_cached executed execution_success executing"
	if got := strings.Join(comfyFollow(t, url, false), " "); got != want {
		t.Errorf("cached: got %s, want %s", got, want)
	}
}

func TestComfy_PictureAndHistory(t *testing.T) {
	_, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	comfyFollow(t, url, false)
	status, body := comfyCall(t, "GET", url+"/history/00000000-0000-4000-8000-000000000001", "")
	if status != 200 || !strings.Contains(body, `"filename":"b_00001_.png","subfolder":"a","type":"output"`) || !strings.Contains(body, `"status_str":"success"`) {
		t.Errorf("%d %s", status, body)
	}
	status, data := comfyCall(t, "GET", url+"/view?filename=b_00001_.png&subfolder=a&type=output", "")
	img, err := png.Decode(strings.NewReader(data))
	if status != 200 || err != nil || img.Bounds() != image.Rect(0, 0, 64, 48) {
		t.Fatalf("%d %v", status, err)
	}
	if !strings.Contains(data, "tEXtprompt\x00{") || !strings.Contains(data, `Se\u00f1ora \ud83c\udfad`) {
		t.Error("the graph is not in the picture")
	}
	for query, want := range map[string]int{"filename=no.png": 404, "filename=../x": 400, "filename=x&subfolder=../..": 403, "": 400} {
		if status, _ := comfyCall(t, "GET", url+"/view?"+query, ""); status != want {
			t.Errorf("%s: %d, want %d", query, status, want)
		}
	}
	if status, body := comfyCall(t, "GET", url+"/history/unknown", ""); status != 200 || strings.TrimSpace(body) != "{}" {
		t.Errorf("unknown job: %d %s", status, body)
	}
}

func TestComfy_OtherRoutes(t *testing.T) {
	_, url := comfyServer(t, ComfyOptions{})
	for _, tt := range []struct{ route, want string }{
		{"/object_info", `"KSampler"`}, {"/object_info/CheckpointLoaderSimple", "ghostlight-demo.safetensors"}, {"/object_info/Nothing", "{}"},
		{"/models", "checkpoints"}, {"/models/checkpoints", "ghostlight-demo.safetensors"}, {"/models/loras", "ghostlight-demo-face.safetensors"}, {"/system_stats", "comfyui_version"},
		{"/features", "supports_preview_metadata"}, {"/queue", `"queue_pending":[]`}, {"/prompt", "queue_remaining"}, {"/history", "{}"},
	} {
		for _, prefix := range []string{"", "/api"} {
			if status, body := comfyCall(t, "GET", url+prefix+tt.route, ""); status != 200 || !strings.Contains(body, tt.want) {
				t.Errorf("%s%s: %d %.200s", prefix, tt.route, status, body)
			}
		}
	}
	if status, _ := comfyCall(t, "POST", url+"/free", ""); status != 500 {
		t.Errorf("free without a body: %d", status)
	}
	if status, _ := comfyCall(t, "POST", url+"/free", `{"unload_models":true}`); status != 200 {
		t.Errorf("free: %d", status)
	}
	if status, _ := comfyCall(t, "POST", url+"/prompt", `{`); status != 500 {
		t.Errorf("broken JSON: %d", status)
	}
}

func TestComfy_ClosesWhileBusy(t *testing.T) {
	c, url := comfyServer(t, ComfyOptions{Faults: ComfyFaults{Hang: true}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url+"/ws?clientId=me", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if status, body := comfyCall(t, "POST", url+"/prompt", comfyTestGraph); status != 200 {
		t.Fatal(body)
	}
	if err := c.Close(); err != nil { // waits for the job and the socket
		t.Fatal(err)
	}
	if status, _ := comfyCall(t, "GET", url+"/queue", ""); status != http.StatusServiceUnavailable {
		t.Errorf("a closed server answers %d", status)
	}
}

func TestComfyPaint_IsDeterministic(t *testing.T) {
	paint := func(prompt, seed string) []byte { return comfyPaint(comfyScenery(prompt, seed), 120, 80, 0).Pix }
	if !bytes.Equal(paint("a", "1"), paint("a", "1")) {
		t.Error("the same request gives two pictures")
	}
	if bytes.Equal(paint("a", "1"), paint("a", "2")) || bytes.Equal(paint("a", "1"), paint("b", "1")) {
		t.Error("different requests give the same picture")
	}
	for _, size := range [][2]int{{1, 1}, {3, 900}, {900, 3}} {
		if img := comfyPaint(comfyScenery("x", "y"), size[0], size[1], 0); img.Bounds().Dx() != size[0] || img.Bounds().Dy() != size[1] {
			t.Errorf("%v gives %v", size, img.Bounds())
		}
	}
}

func FuzzComfyPrompt(f *testing.F) {
	files, err := filepath.Glob("testdata/comfy/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var rec struct{ Request json.RawMessage }
		if json.Unmarshal(data, &rec) == nil {
			f.Add([]byte(rec.Request))
		}
	}
	library := comfyNodes(ComfyOptions{})
	f.Fuzz(func(_ *testing.T, data []byte) {
		var body struct{ Prompt json.RawMessage }
		var graph comfyGraph
		if json.Unmarshal(data, &body) != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(body.Prompt))
		dec.UseNumber()
		if dec.Decode(&graph) == nil && graph != nil {
			comfyValidate(library, graph, comfyKeys(body.Prompt), func(name string) bool { return name == "ref.png" }, len(data)%2 == 0)
		}
	})
}
