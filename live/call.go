package live

import (
	"context"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// call is an operation by its names, in its group.
type call struct {
	*model.Cohort
	group          int
	client, number int32
	key            model.Key
	cold           bool // it began in the warm-up
}

// traced is its row of the trace, where its group replays one.
func (c *call) traced() int32 { return c.Row(c.client, c.number) }

// call names a group's operation.
func (f *Fleet) call(group int, client, number int32) call {
	key := model.ClientKey(f.seed, f.cohorts[group].Name, int(client))
	return call{Cohort: &f.cohorts[group], group: group, client: client, number: number, key: model.OperationKey(key, int(number))}
}

// after is the call after this one, of the same client.
func (f *Fleet) after(c call) call { return f.call(c.group, c.client, c.number+1) }

// come lets the operations of an open group come, until there are no more or the run is
// over.
func (f *Fleet) come(ctx context.Context, w *wire, group int) {
	co := &f.cohorts[group]
	calls := co.Calls(model.GroupKey(f.seed, co.Name))
	for {
		at, more := calls.Next()
		if !more || !f.books.pause(ctx, at-f.books.now()) {
			return
		}
		client, number := calls.Name()
		f.start(ctx, w, f.call(group, client, number), at)
	}
}

// start lets an operation live from an instant on, in a goroutine of its own.
func (f *Fleet) start(ctx context.Context, w *wire, c call, at time.Duration) {
	f.going.Go(func() { f.operate(ctx, w, c, at) })
}

// operate waits for the instant at which an operation starts, and lets it live. The next of
// its client follows from its start or from its end.
func (f *Fleet) operate(ctx context.Context, w *wire, c call, at time.Duration) {
	if !f.books.pause(ctx, at-f.books.now()) {
		return
	}
	f.begins()
	c.cold = f.config.WarmsUp(at)
	if gap, follows := c.After(model.OpenLoop, c.key, c.number); follows {
		f.start(ctx, w, f.after(c), at+gap)
	}
	end, ended := f.caller(c).live(ctx, w, at)
	if ended {
		f.ended.Add(1)
	}
	if gap, follows := c.After(model.ClosedLoop, c.key, c.number); ended && follows {
		f.start(ctx, w, f.after(c), end+gap)
	}
}
