package cli

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// Address is the address of a server and where it was configured.
type Address struct {
	server string // ollama, comfyui or embeddings
	from   string // the flag, setting or variable
	url    string
}

// addresses returns the configured server addresses. Flags come before settings, and settings
// before the environment. A server without a configured address is left out.
func (app *App) addresses() (list []Address) {
	host := fromOllamaHost(os.Getenv("OLLAMA_HOST"))
	for _, a := range []Address{{"ollama", "--ollama", app.ollama}, {"ollama", "ollama.url", app.Settings.Ollama.URL},
		{"ollama", "OLLAMA_HOST", host}} {
		if a.url != "" {
			list = append(list, a)
			break
		}
	}
	from := "--comfyui"
	if len(app.comfy) == 0 {
		from = "comfyui.urls"
	}
	for _, u := range app.comfyURLs() {
		list = append(list, Address{"comfyui", from, u})
	}
	if u := app.Settings.Remember.EmbedServer; u != "" {
		list = append(list, Address{"embeddings", "remember.embed_server", u})
	}
	return list
}

// BadAddresses returns those that flags, settings and environment give and that no server
// can have.
func (app *App) BadAddresses() (list []Address) {
	for _, a := range app.addresses() {
		if a.Check() != nil {
			list = append(list, a)
		}
	}
	return list
}

// unreachableAddress is an address at which no server answers.
const unreachableAddress = "http://127.0.0.1:1"

// SkipBadAddresses makes Open skip the servers with invalid addresses. It returns the errors by the
// servers' names.
func (app *App) SkipBadAddresses() map[string]string {
	wrong := map[string]string{}
	if app.Demo {
		return wrong
	}
	for _, a := range app.BadAddresses() {
		wrong[a.server] = failure.Text(a.Check())
		switch a.server {
		case "ollama":
			app.ollama = unreachableAddress
		case "comfyui":
			app.comfy = []string{unreachableAddress}
		default:
			app.Settings.Remember.EmbedServer = unreachableAddress
		}
	}
	return wrong
}

// Check returns an error that says what is wrong with an address, nil if it is valid. Passwords are
// left out. An address that cannot be parsed is not repeated at all, because a password in it
// cannot be located.
func (a Address) Check() error {
	text := strings.TrimSpace(a.url)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return a.fault("not a valid address; one looks like http://127.0.0.1:11434")
	}
	switch port, err := strconv.Atoi(u.Port()); {
	case u.Scheme != "http" && u.Scheme != "https":
		return a.fault(Quote(u.Redacted()) + " is not a valid address; one begins with http:// or https://")
	case u.Hostname() == "":
		return a.fault(Quote(u.Redacted()) + " has no host name; an address looks like http://127.0.0.1:11434")
	case u.Port() != "" && (err != nil || port < 1 || port > 65535):
		return a.fault(Quote(u.Redacted()) + " has no port between 1 and 65535")
	}
	return nil
}

func (a Address) fault(words string) error {
	words = a.from + ": " + words
	if strings.HasPrefix(a.from, "--") {
		return UsageError(words)
	}
	return errors.New(words)
}

// Redact takes the passwords of addresses out of a text for the user.
func (app *App) Redact(s string) string {
	for _, a := range app.addresses() {
		_, rest, found := strings.Cut(a.url, "://")
		if !found {
			rest = a.url
		}
		rest, _, _ = strings.Cut(rest, "/")
		at := strings.LastIndexByte(rest, '@')
		if name, _, ok := strings.Cut(rest[:max(at, 0)], ":"); ok {
			s = strings.ReplaceAll(s, rest[:at]+"@", name+":…@")
		}
	}
	return s
}

// RedactAddress returns an address with its password masked, or "…" if it cannot be parsed: a
// password in it could not be located.
func RedactAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "…"
	}
	return u.Redacted()
}

// fromOllamaHost returns the address in OLLAMA_HOST, which Ollama itself uses. It may lack scheme,
// host or port; with a scheme but no port it means the scheme's own port. "" stays "".
func fromOllamaHost(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	if s == "" {
		return ""
	}
	scheme, rest, found := strings.Cut(s, "://")
	port := ""
	switch {
	case !found:
		scheme, rest, port = "http", s, "11434"
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	}
	rest, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(rest)
	if err != nil {
		host, given = strings.Trim(rest, "[]"), port
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(cmp.Or(host, "127.0.0.1"), cmp.Or(given, port)), Path: path}
	return strings.TrimSuffix(u.String(), "/")
}
