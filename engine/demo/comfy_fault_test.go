package demo

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/image/webp"
)

// comfyAsk is comfyCall for answers that may break off.
func comfyAsk(t *testing.T, method, url, body string) (status int, data string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	// On a connection that was used before, a client asks again by itself.
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := fresh.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	out, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	return resp.StatusCode, string(out), err
}

// once injects a fault the nth time that a place is come to.
func once(place string, nth int, fault ComfyFault) ComfyFaults {
	return ComfyFaults{Script: func(at string, n int) ComfyFault {
		if at == place && n == nth {
			return fault
		}
		return ""
	}}
}

func TestComfy_FaultsOfAnswers(t *testing.T) {
	c, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	_, want := comfyCall(t, "GET", url+"/queue", "")
	for _, tt := range []struct {
		fault  ComfyFault
		status int
		broken bool
		check  func(body string) bool
	}{
		{ComfyDrop, 0, true, nil},
		{ComfyRestart, 0, true, nil},
		{ComfyBreak, 200, true, func(b string) bool { return strings.HasPrefix(want, b) }},
		{ComfyPage, 200, false, func(b string) bool { return strings.Contains(b, "<html>") }},
		{ComfyError, 500, false, nil},
		{ComfyGateway, 502, false, nil},
		{ComfyMissing, 404, false, nil},
		{ComfyTruncate, 200, false, func(b string) bool { return b == want[:len(want)/2] }},
		{ComfySlow, 200, false, func(b string) bool { return b == want }},
		{ComfyGarbage, 200, false, func(b string) bool { return b != "" && !json.Valid([]byte(b)) }},
		{ComfyEmpty, 200, false, func(b string) bool { return b == "" }},
		{ComfyTypes, 200, false, func(b string) bool { return json.Valid([]byte(b)) && b != want && strings.Contains(b, "queue_running") }},
		{ComfyOther, 200, false, func(b string) bool { return b == want }},
		{ComfyEndless, 200, false, func(b string) bool { return len(b) == 8<<20 }},
	} {
		c.SetFaults(once("GET /queue", 2, tt.fault))
		for n := range 3 {
			status, body, err := comfyAsk(t, "GET", url+"/api/queue", "")
			if n != 1 {
				if status != 200 || body != want || err != nil {
					t.Errorf("%s: answer %d is %d %.100s %v", tt.fault, n+1, status, body, err)
				}
				continue
			}
			if status != tt.status && tt.fault != ComfyBreak || (err != nil) != tt.broken || tt.check != nil && err == nil && !tt.check(body) {
				t.Errorf("%s: %d %.100q %v", tt.fault, status, body, err)
			}
		}
		if n := c.Answered("GET /queue"); n != 3 {
			t.Errorf("%s: %d requests counted", tt.fault, n)
		}
	}
}

// A job whose graph has a sampler of several steps ends as the fault says.
func TestComfy_FaultsOfJobs(t *testing.T) {
	const id = "00000000-0000-4000-8000-000000000001"
	for _, tt := range []struct {
		place string
		fault ComfyFault
		end   string // in the history, "" for none
	}{
		{"step", "", `"status_str":"success"`},
		{"step", ComfyRestart, ""},
		{"step", ComfyDelete, ""},
		{"step", ComfyInterrupt, "execution_interrupted"},
		{"step", ComfyNoMemory, "torch.OutOfMemoryError"},
		{"step", ComfyNodeFails, "the brush broke"},
		{"step", ComfyCut, `"status_str":"success"`},
		{"step", ComfyNoise, `"status_str":"success"`},
		{"save", ComfyRestart, ""},
		{"save", ComfyHostile, "/tmp/outside"},
		{"save", ComfyNoFile, "never-made.png"},
		{"POST /prompt", ComfySlow, `"status_str":"success"`},
		{"POST /prompt", ComfyGarbage, `"status_str":"success"`},
		{"POST /prompt", ComfyError, ""},
	} {
		c, url := comfyServer(t, ComfyOptions{StepDelay: -1})
		c.SetFaults(once(tt.place, 1, tt.fault))
		if _, _, err := comfyAsk(t, "POST", url+"/prompt", comfyTestGraph); err != nil {
			t.Fatal(err)
		}
		for { // until the queue is empty
			if _, body, err := comfyAsk(t, "GET", url+"/queue", ""); err == nil && strings.Contains(body, `"queue_pending":[],"queue_running":[]`) {
				break
			}
		}
		_, body := comfyCall(t, "GET", url+"/history/"+id, "")
		if there := len(strings.TrimSpace(body)) > 2; there != (tt.end != "") || !strings.Contains(body, tt.end) {
			t.Errorf("%s at %s: %.300s", tt.fault, tt.place, body)
		}
	}
}

func TestComfy_ARestartForgetsPendingJobsAndGoesOn(t *testing.T) {
	c, base := comfyServer(t, ComfyOptions{StepDelay: -1, Faults: ComfyFaults{Hang: true}})
	for n := range 3 {
		if status, body := comfyCall(t, "POST", base+"/prompt", strings.Replace(comfyTestGraph, "000000000001", fmt.Sprintf("%012d", n), 1)); status != 200 {
			t.Fatal(body)
		}
	}
	c.SetFaults(once("GET /features", 1, ComfyRestart))
	if _, _, err := comfyAsk(t, "GET", base+"/features", ""); err == nil {
		t.Error("the connection outlives a restart")
	}
	if _, body := comfyCall(t, "GET", base+"/queue", ""); strings.TrimSpace(body) != `{"queue_pending":[],"queue_running":[]}` {
		t.Errorf("after a restart: %s", body)
	}
	if status, body := comfyCall(t, "POST", base+"/prompt", comfyTestGraph); status != 200 {
		t.Fatal(body)
	}
	for {
		if _, body := comfyCall(t, "GET", base+"/history", ""); strings.Contains(body, "success") {
			return
		}
	}
}

func TestComfy_HostileNamesCanBeFetched(t *testing.T) {
	c, base := comfyServer(t, ComfyOptions{})
	for range comfyHostileNames() {
		file := c.keep("output", "p", ".png", []byte("\x89PNG\r\n\x1a\nx"), ComfyHostile)
		query := url.Values{"filename": {file["filename"].(string)}, "subfolder": {file["subfolder"].(string)}, "type": {"output"}}
		if status, body := comfyCall(t, "GET", base+"/view?"+query.Encode(), ""); status != 200 || !strings.HasPrefix(body, "\x89PNG") {
			t.Errorf("%.80q: %d", file, status)
		}
	}
}

const comfyMovieGraph = `{"prompt":{
"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":48,"batch_size":8,"color":2271829}},
"2":{"class_type":"CreateVideo","inputs":{"images":["1",0],"fps":8}},
"3":{"class_type":"%s","inputs":{%s}}}}`

func TestComfy_SavesVideosAsNodesDo(t *testing.T) {
	picture := func(decode func(io.Reader) (image.Image, error)) func([]byte) error {
		return func(data []byte) error {
			img, err := decode(bytes.NewReader(data))
			if err == nil && img.Bounds() != image.Rect(0, 0, 64, 48) {
				err = fmt.Errorf("it measures %v", img.Bounds())
			}
			return err
		}
	}
	begins := func(at int, magic string) func([]byte) error {
		return func(data []byte) error {
			if len(data) < 1000 || string(data[at:at+len(magic)]) != magic {
				return fmt.Errorf("it begins %.16q", data)
			}
			return nil
		}
	}
	for _, tt := range []struct {
		class, inputs string
		want          string // on the wire
		check         func([]byte) error
	}{
		{"SaveVideo", `"video":["2",0],"filename_prefix":"video/v","format":"auto","codec":"auto"`,
			`{"animated":[true],"images":[{"filename":"v_00001_.mp4","subfolder":"video","type":"output"}]}`, begins(4, "ftyp")},
		{"SaveWEBM", `"images":["1",0],"filename_prefix":"v","codec":"vp9","fps":8.0,"crf":32.0`,
			`{"animated":[true],"images":[{"filename":"v_00001_.webm","subfolder":"","type":"output"}]}`, begins(0, "\x1a\x45\xdf\xa3")},
		{"SaveAnimatedWEBP", `"images":["1",0],"filename_prefix":"v","fps":8.0,"lossless":false,"quality":80,"method":"default"`,
			`{"animated":[true],"images":[{"filename":"v_00001_.webp","subfolder":"","type":"output"}]}`, checkWEBP},
		{"SaveAnimatedPNG", `"images":["1",0],"filename_prefix":"v","fps":8.0,"compress_level":4`,
			`{"animated":[true],"images":[{"filename":"v_00001_.png","subfolder":"","type":"output"}]}`, picture(png.Decode)},
		{"VHS_VideoCombine", `"images":["1",0],"frame_rate":8,"loop_count":0,"filename_prefix":"v","format":"image/gif","pingpong":false,"save_output":false`,
			`{"gifs":[{"filename":"v_00001_.gif","format":"image/gif","frame_rate":8,"fullpath":"/srv/comfyui/temp/v_00001_.gif","subfolder":"","type":"temp","workflow":"vhs_00001.png"}]}`,
			picture(gif.Decode)},
		{"VHS_VideoCombine", `"images":["1",0],"frame_rate":8,"loop_count":0,"filename_prefix":"v","format":"video/h264-mp4","pingpong":false,"save_output":true`,
			`{"gifs":[{"filename":"v_00001_.mp4","format":"video/h264-mp4","frame_rate":8,"fullpath":"/srv/comfyui/output/v_00001_.mp4","subfolder":"","type":"output","workflow":"vhs_00001.png"}]}`,
			begins(4, "ftyp")},
		{"SaveVideoFile", `"images":["1",0],"filename_prefix":"v","fps":8`,
			`{"videos":[{"filename":"v_00001_.mp4","subfolder":"","type":"output"}]}`, begins(4, "ftyp")},
	} {
		_, base := comfyServer(t, ComfyOptions{StepDelay: -1})
		status, body := comfyCall(t, "POST", base+"/prompt", fmt.Sprintf(comfyMovieGraph, tt.class, tt.inputs))
		if status != 200 {
			t.Fatalf("%s: %s", tt.class, body)
		}
		for body = ""; !strings.Contains(body, "status_str"); {
			_, body = comfyCall(t, "GET", base+"/history", "")
		}
		var all map[string]struct {
			Outputs map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(body), &all); err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if got := string(e.Outputs["3"]); got != tt.want {
				t.Errorf("%s:\n%s\nwant\n%s", tt.class, got, tt.want)
			}
			var out map[string][]json.RawMessage
			var file struct{ Filename, Subfolder, Type string }
			if err := json.Unmarshal(e.Outputs["3"], &out); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"images", "gifs", "videos"} {
				if len(out[key]) > 0 {
					if err := json.Unmarshal(out[key][0], &file); err != nil {
						t.Fatal(err)
					}
				}
			}
			query := url.Values{"filename": {file.Filename}, "subfolder": {file.Subfolder}, "type": {file.Type}}
			status, data := comfyCall(t, "GET", base+"/view?"+query.Encode(), "")
			if err := tt.check([]byte(data)); status != 200 || err != nil {
				t.Errorf("%s: %d %v", tt.class, status, err)
			}
		}
	}
}

// checkWEBP takes every frame out of an animation and decodes it by itself.
func checkWEBP(data []byte) error {
	if len(data) < 60 || string(data[:4]) != "RIFF" || int(binary.LittleEndian.Uint32(data[4:]))+8 != len(data) {
		return fmt.Errorf("its length is wrong")
	}
	frames := 0
	var first image.Image
	for rest := data[12:]; len(rest) >= 8; {
		n := int(binary.LittleEndian.Uint32(rest[4:]))
		if string(rest[:4]) == "ANMF" {
			still := rest[8+16 : 8+n]
			still = append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(still)+4)), append([]byte("WEBP"), still...)...)
			img, err := webp.Decode(bytes.NewReader(still))
			if err != nil {
				return err
			}
			if img.Bounds() != image.Rect(0, 0, 64, 48) {
				return fmt.Errorf("a frame measures %v", img.Bounds())
			}
			if first == nil {
				first = img
			}
			frames++
		}
		rest = rest[8+n+n%2:]
	}
	if frames != comfyFrames {
		return fmt.Errorf("it has %d frames", frames)
	}
	want := comfyPaint(comfyScenery("", ""), 64, 48, 0)
	for y := range 48 {
		for x := range 64 {
			r, g, b, _ := first.At(x, y).RGBA()
			if c := want.RGBAAt(x, y); uint32(c.R) != r>>8 || uint32(c.G) != g>>8 || uint32(c.B) != b>>8 {
				return fmt.Errorf("the colour at %d,%d is wrong", x, y)
			}
		}
	}
	return nil
}
