package comfy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// once returns a script that injects a fault the nth time that a place is come to.
func once(place string, nth int, fault demo.ComfyFault) demo.ComfyFaults {
	return demo.ComfyFaults{Script: func(at string, n int) demo.ComfyFault {
		if at == place && n == nth {
			return fault
		}
		return ""
	}}
}

// Whatever goes wrong once on the way, the picture comes all the same; what goes
// wrong on the server itself is told for what it is.
func TestRun_FaultsThatPass(t *testing.T) {
	passing := []demo.ComfyFault{
		demo.ComfyDrop, demo.ComfyPage, demo.ComfyError, demo.ComfyGateway, demo.ComfyBreak, demo.ComfyTruncate,
		demo.ComfySlow, demo.ComfyGarbage, demo.ComfyEmpty, demo.ComfyTypes, demo.ComfyOther, demo.ComfyCut, demo.ComfyNoise,
	}
	refused := []demo.ComfyFault{demo.ComfyPage, demo.ComfyError, demo.ComfyGateway}
	gone := []demo.ComfyFault{demo.ComfyRestart, demo.ComfyDelete}
	for _, place := range []string{"GET /ws", "POST /prompt", "GET /queue", "GET /history", "GET /view", "step", "save"} {
		for _, fault := range slices.Concat(passing, gone, []demo.ComfyFault{demo.ComfyInterrupt, demo.ComfyHostile, demo.ComfyNoFile}) {
			t.Run(fmt.Sprintf("%s at %s", fault, place), func(t *testing.T) {
				t.Parallel()
				f, c := startServer(t, demo.ComfyOptions{StepDelay: time.Millisecond})
				f.SetFaults(once(place, 1, fault))
				out, err := c.Run(t.Context(), Job{Graph: small(t, 3)}, func(p Progress) {
					if p.Step < 0 || p.Step > p.Of || p.Of > 1e6 || p.Done < 0 || p.Done > p.Total || p.Total != 7 {
						t.Errorf("progress %+v", p)
					}
				})
				var is error
				inside := place == "step" || place == "save"
				switch {
				case slices.Contains(gone, fault) && (inside || place == "GET /queue" && errors.Is(err, ErrJobGone)):
					is = ErrJobGone
				case fault == demo.ComfyInterrupt && (inside || place == "GET /queue" && errors.Is(err, ErrInterrupted)):
					is = ErrInterrupted
				case fault == demo.ComfyNoFile && place == "save":
					is = ErrNoOutput
				case place == "POST /prompt" && slices.Contains(refused, fault):
					if err == nil {
						t.Error("a refused job is painted")
					}
					return
				}
				if !errors.Is(err, is) || is == nil && out.Format != "png" && out.Format != "jpeg" {
					t.Errorf("%v: %q, %q", err, ErrorText(err), out.Format)
				}
				if strings.ContainsAny(out.Filename, "/\\\x00\x1b\n\u202e") || len(out.Filename) > 900 {
					t.Errorf("file name %q", out.Filename)
				}
			})
		}
	}
}

func TestRun_HostileNamesAreOnlyShown(t *testing.T) {
	f, c := startServer(t, flat())
	f.SetFaults(demo.ComfyFaults{Script: func(place string, _ int) demo.ComfyFault {
		if place == "save" {
			return demo.ComfyHostile
		}
		return ""
	}})
	for n := range int64(17) {
		out, err := c.Run(t.Context(), Job{Graph: small(t, 100+n)}, nil)
		if err != nil || out.Format != "png" || strings.ContainsAny(out.Filename, "/\\\x00\x1b\n\r\u202e") || len([]rune(out.Filename)) > 200 {
			t.Errorf("%q: %v", out.Filename, err)
		}
	}
}

func TestRun_ARestartIsTold(t *testing.T) {
	f, c := startServer(t, flat())
	if _, err := c.Run(t.Context(), Job{Graph: small(t, 1)}, nil); err != nil { // so that there is a history
		t.Fatal(err)
	}
	f.SetFaults(once("step", 2, demo.ComfyRestart))
	_, err := c.Run(t.Context(), Job{Graph: small(t, 2)}, nil)
	if !errors.Is(err, ErrRestarted) || !errors.Is(err, ErrJobGone) || !strings.Contains(ErrorText(err), "was restarted in the middle") {
		t.Errorf("%v: %q", err, ErrorText(err))
	}
	if _, err := c.Run(t.Context(), Job{Graph: small(t, 3)}, nil); err != nil {
		t.Fatal(err)
	}
	f.SetFaults(once("step", 2, demo.ComfyDelete))
	_, err = c.Run(t.Context(), Job{Graph: small(t, 4)}, nil)
	if errors.Is(err, ErrRestarted) || !errors.Is(err, ErrJobGone) || !strings.Contains(ErrorText(err), "restarted or the job was deleted there") {
		t.Errorf("%v: %q", err, ErrorText(err))
	}
}

func TestRun_ResumeHearsOfTheJob(t *testing.T) {
	f, c := startServer(t, demo.ComfyOptions{StepDelay: 5 * time.Millisecond})
	const id = "11111111-2222-4333-8444-555555555555"
	ctx, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	told := ""
	job := Job{Graph: small(t, 5), PromptID: id, Submitted: func(id string) { told = id }}
	_, err := c.Run(ctx, job, func(p Progress) {
		if p.Step == 1 {
			leave(ErrJobLeft)
		}
	})
	if !errors.Is(err, ErrJobLeft) || told != id {
		t.Fatalf("%v, submitted as %q", err, told)
	}
	job.Resume, told = true, ""
	steps := 0
	out, err := c.Run(t.Context(), job, func(p Progress) { steps = max(steps, p.Step) })
	if err != nil || out.PromptID != id || told != "" || f.Answered("POST /prompt") != 1 {
		t.Errorf("%v, %s, sent %d times", err, out.PromptID, f.Answered("POST /prompt"))
	}
	if out, err := c.Run(t.Context(), job, nil); err != nil || out.Format != "png" { // long finished
		t.Errorf("%v %s", err, out.Format)
	}
}

func TestRun_CancelIsVerified(t *testing.T) {
	for _, fault := range []demo.ComfyFault{"", demo.ComfyDrop, demo.ComfyError, demo.ComfyGarbage} {
		for _, place := range []string{"POST /queue", "POST /interrupt", "GET /queue"} {
			f, c := startServer(t, flat())
			f.SetFaults(demo.ComfyFaults{Hang: true})
			ctx, cancel := context.WithCancel(t.Context())
			_, err := c.Run(ctx, Job{Graph: small(t, 4)}, func(p Progress) {
				if p.NodeTitle == "Sampler" {
					hang := once(place, 1, fault)
					hang.Hang = true
					f.SetFaults(hang)
					cancel()
				}
			})
			cancel()
			if !errors.Is(err, context.Canceled) || errors.Is(err, ErrStillOnServer) {
				t.Errorf("%s at %s: %v", fault, place, err)
			}
			if running, pending, err := c.Queue(t.Context()); running+pending > 0 || err != nil {
				t.Errorf("%s at %s: %d running, %d pending, %v", fault, place, running, pending, err)
			}
		}
	}
	f, c := startServer(t, flat())
	f.SetFaults(demo.ComfyFaults{Hang: true})
	c.intervals.withdraw = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := c.Run(ctx, Job{Graph: small(t, 4)}, func(p Progress) {
		if p.NodeTitle == "Sampler" {
			f.SetFaults(demo.ComfyFaults{Hang: true, Script: func(place string, _ int) demo.ComfyFault {
				if place == "POST /interrupt" {
					return demo.ComfyDrop
				}
				return ""
			}})
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrStillOnServer) || !strings.Contains(ErrorText(err), "still on the ComfyUI server") {
		t.Errorf("%v: %q", err, ErrorText(err))
	}
}

func TestRun_VideosOfAllKinds(t *testing.T) {
	_, c := startServer(t, flat())
	for n, tt := range []struct{ class, inputs, format string }{
		{"SaveVideo", `"video":["4",0],"format":"auto","codec":"auto"`, "mp4"},
		{"SaveWEBM", `"images":["3",0],"codec":"vp9","fps":8,"crf":32`, "webm"},
		{"SaveAnimatedWEBP", `"images":["3",0],"fps":8,"lossless":false,"quality":80,"method":"default"`, "webp"},
		{"SaveAnimatedPNG", `"images":["3",0],"fps":8,"compress_level":4`, "png"},
		{"VHS_VideoCombine", `"images":["3",0],"frame_rate":8,"loop_count":0,"format":"image/gif","pingpong":false,"save_output":false`, "gif"},
		{"VHS_VideoCombine", `"images":["3",0],"frame_rate":8,"loop_count":0,"format":"video/h264-mp4","pingpong":false,"save_output":true`, "mp4"},
		{"SaveVideoFile", `"images":["3",0],"fps":8`, "mp4"},
	} {
		// A picture is saved as well, and must not be taken for the video.
		graph := fmt.Sprintf(`{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"ghostlight-demo.safetensors"}},
			"2":{"class_type":"CLIPTextEncode","inputs":{"text":"a lamp","clip":["1",1]}},"6":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":48,"batch_size":1}},
			"7":{"class_type":"KSampler","inputs":{"model":["1",0],"seed":%d,"steps":2,"cfg":1,"sampler_name":"euler","scheduler":"normal","positive":["2",0],"negative":["2",0],"latent_image":["6",0],"denoise":1}},
			"3":{"class_type":"VAEDecode","inputs":{"samples":["7",0],"vae":["1",2]}},"4":{"class_type":"CreateVideo","inputs":{"images":["3",0],"fps":8}},
			"0":{"class_type":"SaveImage","inputs":{"images":["3",0],"filename_prefix":"still"}},
			"9":{"class_type":%q,"inputs":{%s,"filename_prefix":"moving"}}}`, n, tt.class, tt.inputs)
		out, err := c.Run(t.Context(), Job{Graph: json.RawMessage(graph), Video: true}, nil)
		if err != nil || out.Format != tt.format || !strings.HasPrefix(out.Filename, "moving") || imageType(out.LastPreview) != "jpeg" {
			t.Errorf("%s: %v, %s %s, %d bytes of preview", tt.class, err, out.Filename, out.Format, len(out.LastPreview))
		}
		if len(out.Data) > 0 && isComplete(out.Format, out.Data[:len(out.Data)*2/3]) {
			t.Errorf("%s: two thirds of it count as whole", tt.class)
		}
		if out, err := c.Run(t.Context(), Job{Graph: json.RawMessage(graph)}, nil); err != nil || !strings.HasPrefix(out.Filename, "still") {
			t.Errorf("%s: %v, the picture is %s", tt.class, err, out.Filename)
		}
	}
}

func TestRun_CountsNodes(t *testing.T) {
	for _, file := range []string{"run_ksampler_preview.json", "run_ok_emptyimage.json", "v0.3.64/run_ok_emptyimage.json", "run_cached_repeat.json", "v0.3.64/run_cached_repeat.json"} {
		s := &stage{capture: readCapture(t, file)}
		var last Progress
		_, err := play(t, s).Run(t.Context(), Job{Graph: s.graph}, func(p Progress) {
			if p.Done < last.Done || p.Total < p.Done {
				t.Errorf("%s: %d of %d after %d", file, p.Done, p.Total, last.Done)
			}
			last = p
		})
		if err != nil || last.Done != last.Total || last.Total != len(names(s.graph)) {
			t.Errorf("%s: %v, %d of %d", file, err, last.Done, last.Total)
		}
	}
}

// Where the end is only read in the history, all nodes are through as well.
func TestRun_CountsNodesWithoutASocket(t *testing.T) {
	s := &stage{capture: readCapture(t, "run_ksampler_preview.json"), cutAt: 4, noReturn: true}
	var last Progress
	if _, err := play(t, s).Run(t.Context(), Job{Graph: s.graph}, func(p Progress) { last = p }); err != nil || last.Done != last.Total || last.Total == 0 {
		t.Errorf("%v, %d of %d", err, last.Done, last.Total)
	}
}

func TestNewest_ReadsACapturedHistory(t *testing.T) {
	data, err := os.ReadFile("testdata/history_max2.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]historyEntry
	if err := json.Unmarshal(data, &all); err != nil || len(all) != 2 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	f, c := startServer(t, flat())
	if got := c.newest(t.Context()); got != "" {
		t.Errorf("an empty history has %q", got)
	}
	var ids []string
	for n := range int64(3) {
		out, err := c.Run(t.Context(), Job{Graph: small(t, n)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.PromptID)
	}
	if got := c.newest(t.Context()); got != ids[2] {
		t.Errorf("the newest of %v is %s", ids, got)
	}
	for _, fault := range []demo.ComfyFault{demo.ComfyDrop, demo.ComfyPage, demo.ComfyGarbage, demo.ComfyTypes} {
		f.SetFaults(once("GET /history", 1, fault))
		_ = c.newest(t.Context()) // whatever it is, it does not matter
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		name, format, data string
		want               bool
	}{
		{"boxes", "mp4", "\x00\x00\x00\x10ftypisom....\x00\x00\x00\x08moov", true},
		{"no description", "mp4", "\x00\x00\x00\x10ftypisom....", false},
		{"box beyond the end", "mp4", "\x00\x00\x00\x10ftypisom....\x00\x00\x00\x08moov\x00\x00\x01\x00mdat", false},
		{"open box", "mp4", "\x00\x00\x00\x10ftypisom....\x00\x00\x00\x08moov\x00\x00\x00\x00mdatxx", true},
		{"long box", "mp4", "\x00\x00\x00\x10ftypisom....\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00\x10", true},
		{"huge box", "mp4", "\x00\x00\x00\x10ftypisom....\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff", false},
		{"tiny box", "mp4", "\x00\x00\x00\x10ftypisom....\x00\x00\x00\x02moov", false},
		{"segment", "webm", "\x1a\x45\xdf\xa3\x82hi\x18\x53\x80\x67\x82ok", true},
		{"open segment", "webm", "\x1a\x45\xdf\xa3\x82hi\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff", true},
		{"short segment", "webm", "\x1a\x45\xdf\xa3\x82hi\x18\x53\x80\x67\x83ok", false},
		{"head only", "webm", "\x1a\x45\xdf\xa3\x82hi", false},
		{"cut size", "webm", "\x1a\x45\xdf\xa3", false},
	} {
		if got := isComplete(tt.format, []byte(tt.data)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, s := range []string{"\x00\x00\x00\x10ftypisom....\x00\x00\x00\x08moov", "\x1a\x45\xdf\xa3\x82hi\x18\x53\x80\x67\x82ok", "\x89PNG\r\n\x1a\n", "RIFF\x08\x00\x00\x00WEBPVP8 ", "GIF89a;", "\xff\xd8\xff\xd9"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		isComplete(imageType(data), data)
		if wholeNumber(math.NaN()) != 0 || wholeNumber(math.Inf(1)) != 1e6 {
			t.Fatal("numbers")
		}
	})
}
