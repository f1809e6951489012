package intake

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// headBytes are two lengths and a checksum, of four bytes each.
const headBytes = 12

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRecord writes a record behind to.
func appendRecord(to []byte, name string, data []byte) []byte {
	begin := len(to)
	to = binary.BigEndian.AppendUint32(to, uint32(len(name)))
	to = binary.BigEndian.AppendUint32(to, uint32(len(data)))
	to = append(to, 0, 0, 0, 0)
	to = append(to, name...)
	to = append(to, data...)
	binary.BigEndian.PutUint32(to[begin+8:], sumOf(to[begin:]))
	return to
}

// sumOf is the checksum of a record: over all of it but the checksum itself.
func sumOf(record []byte) uint32 {
	sum := crc32.Checksum(record[:8], castagnoli)
	return crc32.Update(sum, castagnoli, record[headBytes:])
}

// scan calls found for each record in order, and ends at the first that is not whole:
// nothing that was synced is behind one that was not. size is that of all there is to
// read, so that a length that cannot be true takes no memory.
func scan(r io.Reader, size int64, found func(name string, at, dataBytes int64)) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for at := int64(0); ; {
		head, err := in.Peek(headBytes)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		names, data := int64(binary.BigEndian.Uint32(head)), int64(binary.BigEndian.Uint32(head[4:]))
		whole := headBytes + names + data
		if names == 0 || whole > size-at {
			return nil
		}
		record := make([]byte, whole)
		if _, err := io.ReadFull(in, record); err != nil {
			return err
		}
		if sumOf(record) != binary.BigEndian.Uint32(record[8:]) {
			return nil
		}
		found(string(record[headBytes:headBytes+names]), at, data)
		at += whole
	}
}
