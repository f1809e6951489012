package egress

import (
	"fmt"
	"net/netip"
	"strings"
)

// Policy says where connections may go. The zero value allows public addresses alone.
type Policy struct {
	ranges []netip.Prefix
	names  map[string]bool // lower case, without the last dot
}

// New reads what an operator allows besides public addresses: addresses
// (10.0.0.1), ranges (10.0.0.0/8) and names of hosts (registry.internal), whatever
// these resolve to. An entry that is none of them is an error.
func New(allowed []string) (*Policy, error) {
	p := &Policy{names: map[string]bool{}}
	for _, entry := range allowed {
		entry = strings.TrimSpace(entry)
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			p.ranges = append(p.ranges, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
			addr = addr.Unmap()
			p.ranges = append(p.ranges, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		if entry == "" || strings.ContainsAny(entry, "/:*@ ") {
			return nil, fmt.Errorf("%q is not an address, a range of addresses or the name of a host", entry)
		}
		p.names[normal(entry)] = true
	}
	return p, nil
}

func normal(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// named reports whether the operator allows a host by its name.
func (p *Policy) named(host string) bool { return p != nil && p.names[normal(host)] }

// allows reports whether an address that a host's name resolved to may be dialed.
func (p *Policy) allows(host string, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if p.named(host) {
		return true
	}
	if p != nil {
		for _, r := range p.ranges {
			if r.Contains(addr) {
				return true
			}
		}
	}
	return public(addr)
}

// special are ranges that are not the public internet although Go's netip calls
// them global unicast: https://www.iana.org/assignments/iana-ipv4-special-registry
// and the same for IPv6. Those that hold an IPv4 address (NAT64, 6to4) could lead
// to a private one.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10", "::/96")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// public reports whether an address is one of the public internet.
func public(addr netip.Addr) bool {
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, r := range special {
		if r.Contains(addr) {
			return false
		}
	}
	return true
}
