package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// blot is a PNG of one colour.
func blot(t *testing.T, c color.Color, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// upload sends a picture as ComfyUI's own page does.
func upload(t *testing.T, url string, data []byte, fields map[string]string) (int, map[string]string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	head := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name="image"; filename=%q`, fields["filename"])}}
	part, err := form.CreatePart(head)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(data)
	for name, v := range fields {
		if name != "filename" {
			_ = form.WriteField(name, v)
		}
	}
	_ = form.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/upload/image", &b)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var got map[string]string
	_ = json.NewDecoder(resp.Body).Decode(&got) // a refusal is empty
	return resp.StatusCode, got
}

// TestComfy_UploadsLikeTheRealOne sends what was sent to a real server, compares the
// answers, and paints with what was uploaded.
func TestComfy_UploadsLikeTheRealOne(t *testing.T) {
	_, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	data, err := os.ReadFile("testdata/uploads/upload_load_image.json")
	if err != nil {
		t.Fatal(err)
	}
	var rec struct {
		Uploads []struct {
			Fields   map[string]*string
			Status   int
			Response any
		}
		Prompt  struct{ Request json.RawMessage }
		History map[string]struct{ Outputs any }
	}
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	red := blot(t, color.RGBA{200, 10, 10, 255}, 64, 48)
	for _, u := range rec.Uploads {
		fields := map[string]string{}
		for name, v := range u.Fields {
			if v != nil {
				fields[name] = *v
			}
		}
		status, got := upload(t, url, red, fields)
		want := map[string]string(nil)
		if m, ok := u.Response.(map[string]any); ok {
			want = map[string]string{}
			for k, v := range m {
				want[k] = v.(string)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || status != u.Status {
			t.Errorf("%v: %d, want %d: %s", fields, status, u.Status, diff)
		}
	}
	if _, got := upload(t, url, blot(t, color.White, 2, 2), map[string]string{"filename": "ref.png"}); got["name"] != "ref (1).png" {
		t.Errorf("another picture of that name becomes %v", got)
	}
	status, body := comfyCall(t, "POST", url+"/prompt", `{"prompt":`+string(rec.Prompt.Request)+`,"prompt_id":"4a5ad93c-20a1-4e0c-a0c4-8f9b0c3b1d11"}`)
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	var list map[string]struct {
		Outputs map[string]struct {
			Images []struct{ Filename, Subfolder, Type string }
		}
	}
	for deadline := time.Now().Add(20 * time.Second); len(list) == 0 && time.Now().Before(deadline); {
		_, body = comfyCall(t, "GET", url+"/history/4a5ad93c-20a1-4e0c-a0c4-8f9b0c3b1d11", "")
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range list {
		out := e.Outputs["2"].Images
		if len(out) != 1 || out[0].Filename != "cap_00001_.png" {
			t.Fatalf("%+v", out)
		}
		_, file := comfyCall(t, "GET", url+"/view?filename="+out[0].Filename+"&type=output", "")
		img, err := png.Decode(strings.NewReader(file))
		if err != nil || img.Bounds().Dx() != 64 || img.Bounds().Dy() != 48 {
			t.Fatalf("%v %v", err, img)
		}
		if r, g, _, _ := img.At(30, 20).RGBA(); r>>8 != 200 || g>>8 != 10 {
			t.Errorf("what was uploaded comes back as %v", img.At(30, 20))
		}
	}
}

// TestComfy_DescribesReferenceNodes compares the fake server's description of the nodes for
// reference pictures with a real server's: inputs by name and type, and outputs.
func TestComfy_DescribesReferenceNodes(t *testing.T) {
	_, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	data, err := os.ReadFile("testdata/uploads/object_info_reference.json")
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Input  map[string]map[string]json.RawMessage `json:"input"`
		Output []string                              `json:"output"`
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for class, text := range raw {
		var real entry
		if json.Unmarshal(text, &real) != nil || real.Input == nil {
			continue
		}
		_, body := comfyCall(t, "GET", url+"/object_info/"+class, "")
		var ours map[string]entry
		if err := json.Unmarshal([]byte(body), &ours); err != nil || ours[class].Input == nil {
			t.Errorf("%s is not there: %v", class, err)
			continue
		}
		seen++
		if class == "SaveAnimatedWEBP" { // its outputs differ from version to version
			continue
		}
		if diff := cmp.Diff(real.Output, ours[class].Output); diff != "" {
			t.Errorf("%s puts out %s", class, diff)
		}
		for _, group := range []string{"required", "optional"} {
			if diff := cmp.Diff(inputKinds(real.Input[group]), inputKinds(ours[class].Input[group])); diff != "" {
				t.Errorf("%s %s: %s", class, group, diff)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d nodes were compared", seen)
	}
}

// inputKinds are inputs with their types, "choice" for those that take one of a list.
func inputKinds(in map[string]json.RawMessage) map[string]string {
	out := map[string]string{}
	for name, config := range in {
		var parts []json.RawMessage
		_ = json.Unmarshal(config, &parts)
		kind := "choice"
		if len(parts) > 0 {
			_ = json.Unmarshal(parts[0], &kind)
		}
		if slices.Contains([]string{"COMBO"}, kind) {
			kind = "choice"
		}
		out[name] = kind
	}
	return out
}
