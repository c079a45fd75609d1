package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Header is a header of the requests to a server, such as the token of a hosted one. Its value is a
// secret: it must never be shown.
type Header struct {
	Address     string // of the one server that it is for; "" for all of the section's own
	Name, Value string
}

// hidden replaces a secret value.
const hidden = "••••"

// ParseHeader reads "Name: value", or "https://server Name: value" for one server.
func ParseHeader(text string) (h Header, err error) {
	text = strings.TrimSpace(text)
	if first, rest, ok := strings.Cut(text, " "); ok && strings.Contains(first, "://") {
		h.Address, text = first, strings.TrimSpace(rest)
		if u, err := url.Parse(first); err != nil || u.Host == "" {
			return Header{}, errors.New("the address prefix is not valid")
		}
	}
	name, value, ok := strings.Cut(text, ":")
	h.Name, h.Value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case !ok || h.Name == "" || h.Value == "":
		return Header{}, errors.New(
			`write a header as "Authorization: Bearer TOKEN", with the server's address in front if it is for ` +
				`one server only`)
	case strings.ContainsFunc(h.Name, func(r rune) bool {
		return r >= 0x7f || r <= ' ' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}):
		return Header{}, errors.New("header names may contain only letters, digits and hyphens")
	case slices.Contains([]string{"origin", "host", "content-length", "content-type", "connection", "upgrade",
		"transfer-encoding"}, strings.ToLower(h.Name)):
		return Header{}, errors.New("this header is set by the program")
	case strings.Contains(h.Value, hidden):
		return Header{}, errors.New("this is a masked value: enter the real value")
	case strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' || r >= 0x7f }):
		return Header{}, errors.New("header values must be plain ASCII")
	}
	return h, nil
}

// HideHeader returns a header without its value, for display.
func HideHeader(text string) string {
	h, err := ParseHeader(text)
	if err != nil {
		return hidden
	}
	return strings.TrimSpace(h.Address + " " + h.Name + ": " + hidden)
}

// CheckKey returns the reason why a key cannot be sent, nil if it can or there is none.
func CheckKey(key string) error {
	switch {
	case strings.Contains(key, hidden):
		return errors.New("this is a masked value: enter the real value")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("must be plain ASCII without spaces")
	}
	return nil
}

// HideKey returns a mask in place of a key, for display, or "" if there is no key.
func HideKey(key string) string {
	if key == "" {
		return ""
	}
	return hidden
}

// HideAddress returns an address without its password, for display. If the address cannot be parsed
// and may have a password, it is hidden completely.
func HideAddress(address string) string {
	text := address
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		if strings.Contains(address, "@") {
			return hidden
		}
		return address
	}
	if _, ok := u.User.Password(); !ok {
		return address
	}
	before, rest, found := strings.Cut(address, "://")
	if !found {
		before, rest = "", address
	} else {
		before += "://"
	}
	host := rest[:strings.IndexAny(rest+"/", "/?#")]
	at := strings.LastIndexByte(host, '@')
	name, _, _ := strings.Cut(host[:at], ":")
	return before + name + ":" + hidden + rest[at:]
}

// CheckHidden returns an error if the password of an address is masked, as by HideAddress.
func CheckHidden(address string) error {
	if strings.Contains(address, hidden) {
		return errors.New("this is a masked password: enter the real password")
	}
	return nil
}

// HeadersFor returns the headers of a list for one server. ours reports whether it is a server that
// the section with the list names. Invalid headers are left out.
func HeadersFor(list []string, address string, ours bool) map[string]string {
	out := map[string]string{}
	for _, named := range []bool{false, true} { // headers for this server alone take precedence
		for _, text := range list {
			h, err := ParseHeader(text)
			if err != nil || named != (h.Address != "") {
				continue
			}
			if h.Address == "" && ours || h.Address != "" && sameServer(h.Address, address) {
				out[h.Name] = h.Value
			}
		}
	}
	return out
}

// sameServer reports whether two addresses belong to the same server.
func sameServer(a, b string) bool {
	x, err := url.Parse(strings.TrimRight(a, "/"))
	if err != nil {
		return false
	}
	if !strings.Contains(b, "://") {
		b = "http://" + b
	}
	y, err := url.Parse(strings.TrimRight(b, "/"))
	return err == nil && x.Scheme == y.Scheme && strings.EqualFold(x.Host, y.Host)
}
