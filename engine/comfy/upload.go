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

	_ "golang.org/x/image/webp" // registers the decoder
)

// Limits of uploads.
const (
	MaxUpload       = 32 << 20 // bytes of one picture
	MaxUploadPixels = 64 << 20
	maxUploadSide   = MaxSide
)

// uploadFolder is the folder for pictures below the server's input folder, separate from the
// user's files.
const uploadFolder = "ghostlight"

// ErrNoPicture means that a file cannot be uploaded: it is not a picture that servers load, or too
// large.
var ErrNoPicture = errors.New("this picture cannot be uploaded")

// UploadName returns the name of a picture on every server: derived only from its content, so that
// the same picture is stored once, and its origin is not revealed. format is that of the file:
// png, jpeg or webp.
func UploadName(data []byte, format string) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]) + "." + format
}

// uploadFormat returns the format of a file by its header, if it can be uploaded.
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
		return "", fmt.Errorf("%w: it has %d × %d pixels; the limit is %d in total", ErrNoPicture, w, h,
			MaxUploadPixels)
	}
	return format, nil
}

// headOf reads a picture's header. A panic of a third-party decoder counts as an unreadable file.
func headOf(data []byte) (cfg image.Config, format string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a decoder gave up: %v", r)
		}
	}()
	return image.DecodeConfig(bytes.NewReader(data))
}

// Upload uploads a picture and returns its name for nodes that load it. A picture that is already
// on the server is not stored twice. Servers offer no way to delete a picture: it stays in the
// folder ghostlight of their inputs. The error wraps ErrNoPicture if the file is not a picture that
// can be sent.
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
	if a.status != http.StatusOK || json.Unmarshal(a.data, &got) != nil || !plainName(got.Name) ||
		got.Subfolder != "" && !plainName(got.Subfolder) {
		return "", fmt.Errorf("comfy upload: %w", c.unexpectedResponse(a, "/upload/image"))
	}
	return path.Join(got.Subfolder, got.Name), nil
}

// plainName reports whether a name from a server is a plain file name; it is only written to a
// graph.
func plainName(s string) bool {
	return s != "" && len(s) <= 255 && !strings.ContainsAny(s, "\\\x00\n\r") && !strings.Contains(s, "..") &&
		!strings.HasPrefix(s, "/")
}

// uploadBody returns the form that uploads a picture.
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
