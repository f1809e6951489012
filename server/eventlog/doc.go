// Package eventlog is the durable log that every delivery goes through: accepted
// from the webhook, handed to the worker of its lane in order, and gone when it is
// done. Timers and the events that we make ourselves come in the same way. It
// is a githubapp.Scheduler on a NATS JetStream.
//
// # What holds
//
//   - When Accept or Schedule returned nil, the event is synced to disk, or its GUID
//     was held or done already.
//   - Where many are accepted at the same time, all but a few share the syncs of the intake
//     (package intake), and come into the log from there, in order, after a crash by the
//     next process. What is accepted meanwhile takes the same way. A log that several
//     processes work on has none.
//   - What was accepted is delivered until Done, Retry or SetAside returned nil for it,
//     over any number of crashes. In between it may be delivered again, but to one
//     process only once, while that process lives.
//   - The events of a lane are delivered in the order in which they were accepted,
//     also after a crash, and when another process takes the lane over. An event that
//     is tried again takes its place at the end.
//   - When Done returned nil, no event of that GUID is delivered for 8 days.
//   - A lane that is slow or stands still holds up no other, also not on its
//     partition, as long as fewer than MaxInFlight events of it wait.
//   - Deliveries from outside are refused while the log takes more than MaxBytes; what
//     is appended by Accept never is.
//   - A payload is gone when its event is done; of one set aside after AsideFor. Within a
//     day of that it is in no file of the server's either, but for one that is more than
//     half in use by then.
//   - Wakes come no earlier than asked for, one for each lane, also after a restart.
//   - All methods may be called at the same time, Close but last.
//
// # Where an event is
//
//	accept ──> stagecoach.ev.<partition>.<lane>.<guid> ── Done ──> stagecoach-done/<guid>
//	            │      ^          │      ^
//	            Retry  │ (time)   │      │ Replay, Accept
//	            v      │          v      │
//	           stagecoach.retry.<guid>   stagecoach.aside.<guid>
//
// An event of the intake comes to the first of these places from there: it is removed from
// the intake when the log has it, so that a crash between leaves it in both, and the
// second is known by its GUID.
//
// The first three are subjects of one work-queue stream, which forgets a message
// when it is acknowledged; those set aside have a stream of their own, and the GUIDs
// done a key-value bucket whose entries end after 8 days. A wake is a message
// schedule under stagecoach.timer.<lane>. A payload above the server's limit is in
// pieces under stagecoach.body.<guid>, written before the event that names them.
//
// # Why nothing is lost, and nothing done runs again
//
// The stream itself tells which GUIDs are held: the GUID is the end of the subject,
// and the event is published on the condition that its subject has no message. That is
// one synced write, decided by the server, so that it also holds between
// processes and has no window that could run out. (The server's own window of
// message IDs is of memory, and would have to span as long as the slowest event.)
//
// Every other step is two writes: first the one that says where the event goes, then
// the one that takes it from where it was. A crash between them leaves it in both
// places, never in none:
//
//   - Done: in the bucket and in the stream. It is delivered again, found in the
//     bucket, and dropped.
//   - Retry: in the stream and scheduled. It runs again at once. When that is done,
//     the scheduled one is found in the bucket when it comes, and dropped; when
//     it fails, its new schedule replaces the old one, which has the same subject.
//   - SetAside: in the stream and aside. It runs again; when that is done, Aside
//     leaves the record out; when it is set aside again, that replaces the record.
//   - Replay, or Accept of one set aside: in the stream and aside. The same. Only the
//     record that was read is removed, by its number, never a newer one.
//
// Two copies of one GUID, which such a crash makes, are never under way at once in
// one process, and never in two, since both are in one lane.
//
// A GUID is asked for in the bucket twice, before it is appended and before it is
// delivered. The first spares the log, the second decides: an event can be done
// between the first question and the append.
//
// # Order when a lane changes hands
//
// One durable consumer per partition is pinned to one process at a time. The server
// sends what a dead process had taken again only after AckWait, and would send newer
// events of the same lanes meanwhile. So a process to which a partition comes first
// looks which events are out, and lets newer ones of their lanes wait for them. With
// an embedded server there is no other process: what is out comes at once. A
// process that was frozen can still overlap with the one that took over; all that is
// written outside is fenced for that.
package eventlog
