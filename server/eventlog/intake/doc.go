// Package intake is a queue on disk for what comes in a crowd: records are appended
// by many at the same time, synced together, and taken out in the same order.
//
// A log that syncs each record by itself takes as many in a second as the disk can sync.
// Here all that came while one sync was under way share the next.
//
// # What holds
//
//   - When Append returned nil, the record and all that were appended before it are synced
//     to disk, with their names and the file that they are in.
//   - Records are taken in the order in which they were appended, also by the next
//     process, until Drop removed them. After a crash those may come again that had been
//     dropped last: whoever takes them knows them by their names.
//   - A record whose Append failed may be there or not. What a crash left half written
//     ends its file, and hides nothing that was synced.
//   - After a write or a sync that failed nothing more is written to that file: what the
//     system still has of it is not known. The next record begins a new one.
//   - When the queue is empty, there is no file with anything that was in it.
//
// All methods may be called at the same time; Next and Drop by one at a time. Only one
// process may have the directory open.
//
// # Files
//
// Each file is a row of records: the lengths of name and data, a checksum over these and
// both (CRC-32C), the name, the data. Files are numbered, and the highest number is the
// newest. Those of an earlier process are read, and never written to.
package intake
