package main

import (
	"errors"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// address is where a server is said to be, and who says so.
type address struct {
	server string // ollama, comfyui or embeddings
	from   string // the flag, setting or variable
	url    string
}

// addresses are those that flags, settings and environment give, in this order;
// where nobody says anything there is none.
func (d *door) addresses() (list []address) {
	host := fromOllamaHost(os.Getenv("OLLAMA_HOST"))
	for _, a := range []address{{"ollama", "--ollama", d.ollama}, {"ollama", "ollama.url", d.set.Ollama.URL}, {"ollama", "OLLAMA_HOST", host}} {
		if a.url != "" {
			list = append(list, a)
			break
		}
	}
	from := "--comfyui"
	if len(d.comfy) == 0 {
		from = "comfyui.urls"
	}
	for _, u := range orElse(d.comfy, d.set.ComfyUI.URLs) {
		list = append(list, address{"comfyui", from, u})
	}
	if u := d.set.Remember.EmbedServer; u != "" {
		list = append(list, address{"embeddings", "remember.embed_server", u})
	}
	return list
}

// badAddresses are those of them that no server can have.
func (d *door) badAddresses() (list []address) {
	for _, a := range d.addresses() {
		if a.check() != nil {
			list = append(list, a)
		}
	}
	return list
}

// check says in words what is wrong with an address. Passwords are left out; what
// cannot be read is not repeated at all, as nobody knows where one stands in it.
func (a address) check() error {
	text := strings.TrimSpace(a.url)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return a.fault("that is no address; one reads like http://127.0.0.1:11434")
	}
	switch port, err := strconv.Atoi(u.Port()); {
	case u.Scheme != "http" && u.Scheme != "https":
		return a.fault(quote(u.Redacted()) + " is no address that can be asked; one begins with http:// or https://")
	case u.Hostname() == "":
		return a.fault(quote(u.Redacted()) + " names no computer; an address reads like http://127.0.0.1:11434")
	case u.Port() != "" && (err != nil || port < 1 || port > 65535):
		return a.fault(quote(u.Redacted()) + " has no port between 1 and 65535")
	}
	return nil
}

func (a address) fault(words string) error {
	words = a.from + ": " + words
	if strings.HasPrefix(a.from, "--") {
		return misuse{words}
	}
	return errors.New(words)
}

// discreet takes the passwords of addresses out of a text for the user.
func (d *door) discreet(s string) string {
	for _, a := range d.addresses() {
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

// discreetAddress is an address without the password in it. Where one stands in
// what cannot be read nobody knows.
func discreetAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "…"
	}
	return u.Redacted()
}

// fromOllamaHost reads the variable that Ollama itself goes by. It may lack
// scheme, host or port; with a scheme but no port it means the scheme's own
// port. "" stays "".
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
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(first(host, "127.0.0.1"), first(given, port)), Path: path}
	return strings.TrimSuffix(u.String(), "/")
}
