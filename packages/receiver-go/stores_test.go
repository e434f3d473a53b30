package receiver

import (
	"context"
	"strconv"
	"testing"
	"time"
)

func expectClaim(t *testing.T, store *MemoryDeliveryStore, eventID string, want Claim) {
	t.Helper()
	if got, err := store.Claim(context.Background(), eventID); got != want || err != nil {
		t.Errorf("%s is %s (%v), want %s", eventID, got, err, want)
	}
}

func confirm(t *testing.T, store *MemoryDeliveryStore, eventID string) {
	t.Helper()
	if err := store.Confirm(context.Background(), eventID); err != nil {
		t.Fatal(err)
	}
}

func TestAClaimIsBusyUntilItIsConfirmedOrReleased(t *testing.T) {
	store := NewMemoryDeliveryStore(0)
	expectClaim(t, store, "a", ClaimNew)
	expectClaim(t, store, "a", ClaimBusy)
	if err := store.Release(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	expectClaim(t, store, "a", ClaimNew)
	confirm(t, store, "a")
	expectClaim(t, store, "a", ClaimDone)
}

func TestAClaimEndsAfterFiveMinutes(t *testing.T) {
	now := time.Unix(0, 0)
	store := NewMemoryDeliveryStore(0)
	store.now = func() time.Time { return now }
	expectClaim(t, store, "a", ClaimNew)
	now = now.Add(claimFor - 1)
	expectClaim(t, store, "a", ClaimBusy)
	now = now.Add(1)
	expectClaim(t, store, "a", ClaimNew)
}

func TestAFullStoreForgetsWhatWasHandledLongestAgo(t *testing.T) {
	store := NewMemoryDeliveryStore(3)
	for i := range 4 {
		confirm(t, store, strconv.Itoa(i))
	}
	expectClaim(t, store, "0", ClaimNew)
	expectClaim(t, store, "1", ClaimDone)
	expectClaim(t, store, "3", ClaimDone)
}

func TestASequenceAdvancesAndStays(t *testing.T) {
	store := NewMemorySequenceStore(2)
	expect := func(resource string, sequence int64, want bool) {
		t.Helper()
		if got, err := store.Advance(context.Background(), resource, sequence); got != want || err != nil {
			t.Errorf("%s %d: %v (%v), want %v", resource, sequence, got, err, want)
		}
	}
	expect("a", 2, true)
	expect("a", 1, false)
	expect("a", 2, true)
	expect("a", 3, true)
	expect("b", 1, true)
	expect("a", 1, false)
	// The full store forgets the resource that changed first.
	expect("c", 1, true)
	expect("a", 1, true)
}
