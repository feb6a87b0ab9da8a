let isLeaving = false;
// Brought back by the back button, the page may leave again.
addEventListener('pageshow', () => {
  isLeaving = false;
});

/** Leaves the application for an address, once: several causes at once would each begin the loading anew. */
export function leaveFor(address: string): void {
  if (isLeaving) return;
  isLeaving = true;
  location.assign(address);
}
