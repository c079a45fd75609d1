package comfy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats that are uploaded
	_ "image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"strings"

	_ "golang.org/x/image/webp" // likewise
)

// Bounds of what is uploaded.
const (
	MaxUpload       = 32 << 20 // bytes of one picture
	MaxUploadPixels = 64 << 20
	maxUploadSide   = MaxSide
)

// uploadFolder is where pictures go, below the server's folder of inputs: one that
// is ours alone, so that they can be told from the user's.
const uploadFolder = "ghostlight"

// ErrNoPicture says that something cannot be uploaded: it is none of the pictures
// that servers load, or too large.
var ErrNoPicture = errors.New("this picture cannot be uploaded")

// UploadName is the name that a picture gets on every server: made from what is in
// it alone, so that the same picture is there once, and nothing of where it came
// from is told. format is that of the file: png, jpeg or webp.
func UploadName(data []byte, format string) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]) + "." + format
}

// uploadFormat looks at the head of a file: its format, if it can be uploaded.
func uploadFormat(data []byte) (string, error) {
	if len(data) > MaxUpload {
		return "", fmt.Errorf("%w: it has more than %d MB", ErrNoPicture, MaxUpload>>20)
	}
	cfg, format, err := headOf(data)
	if err != nil || format != "png" && format != "jpeg" && format != "webp" {
		return "", fmt.Errorf("%w: it is not a PNG, JPEG or WebP", ErrNoPicture)
	}
	w, h := cfg.Width, cfg.Height
	if w <= 0 || h <= 0 || w > maxUploadSide || h > maxUploadSide || w*h > MaxUploadPixels {
		return "", fmt.Errorf("%w: it has %d × %d pixels; the limit is %d in total", ErrNoPicture, w, h, MaxUploadPixels)
	}
	return format, nil
}

// headOf reads a picture's head. Decoders are not ours: one that gives up is a file
// that cannot be read.
func headOf(data []byte) (cfg image.Config, format string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a decoder gave up: %v", r)
		}
	}()
	return image.DecodeConfig(bytes.NewReader(data))
}

// Upload puts a picture on the server and returns the name by which nodes load it.
// One that is there already is not stored twice. Servers have no way to take a
// picture back: it stays in the folder ghostlight among their inputs. The error
// wraps ErrNoPicture when the file is none that can be sent.
func (c *Client) Upload(ctx context.Context, data []byte) (string, error) {
	format, err := uploadFormat(data)
	if err != nil {
		return "", err
	}
	name := UploadName(data, format)
	body, kind, err := uploadBody(name, format, data)
	if err != nil {
		return "", fmt.Errorf("comfy upload: %w", err)
	}
	a, err := c.send(ctx, http.MethodPost, c.url("/upload/image", nil), kind, body, maxSmall, c.intervals.fetch)
	if err != nil {
		return "", fmt.Errorf("comfy upload: %w", err)
	}
	if a.status == http.StatusRequestEntityTooLarge {
		return "", fmt.Errorf("%w: the server does not accept a file of %d MB", ErrNoPicture, len(data)>>20)
	}
	var got struct {
		Name      string `json:"name"`
		Subfolder string `json:"subfolder"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.data, &got) != nil || !plainName(got.Name) || got.Subfolder != "" && !plainName(got.Subfolder) {
		return "", fmt.Errorf("comfy upload: %w", c.unexpectedResponse(a, "/upload/image"))
	}
	return path.Join(got.Subfolder, got.Name), nil
}

// plainName tells names that a server may give: they go back into a graph, and
// nowhere else.
func plainName(s string) bool {
	return s != "" && len(s) <= 255 && !strings.ContainsAny(s, "\\\x00\n\r") && !strings.Contains(s, "..") && !strings.HasPrefix(s, "/")
}

// uploadBody is the form with which a picture is sent.
func uploadBody(name, format string, data []byte) (io.Reader, string, error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	head := textproto.MIMEHeader{}
	head.Set("Content-Disposition", fmt.Sprintf(`form-data; name="image"; filename=%q`, name))
	head.Set("Content-Type", "image/"+format)
	part, err := form.CreatePart(head)
	if err == nil {
		_, err = part.Write(data)
	}
	for _, field := range [][2]string{{"type", "input"}, {"subfolder", uploadFolder}} {
		err = errors.Join(err, form.WriteField(field[0], field[1]))
	}
	return &b, form.FormDataContentType(), errors.Join(err, form.Close())
}
