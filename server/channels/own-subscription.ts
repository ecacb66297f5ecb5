import type { Viewer } from '#groups/viewer.ts'
import { findSubscriptionStatus, type SubscriptionStatus } from './subscription-status-queries.ts'

/** Queries use this id for a missing channel, so that they are the same as for a hidden channel and take as long. */
export const NO_CHANNEL_ID = 0

const statusesByViewer = new WeakMap<Viewer, Map<number, Promise<SubscriptionStatus | null>>>()

/**
 * Returns the viewer's own subscription status in the channel, which is read once per call; null if the viewer was
 * never subscribed.
 */
function findOwnStatus(viewer: Viewer, channelId: number): Promise<SubscriptionStatus | null> {
  const statuses = statusesByViewer.get(viewer) ?? new Map<number, Promise<SubscriptionStatus | null>>()
  const status = statuses.get(channelId) ?? findSubscriptionStatus(viewer.db, viewer.actor.id, channelId)
  // The status in a missing channel is not cached, because all missing channels share one id. Each of them then takes a
  // query, like a hidden channel.
  if (channelId !== NO_CHANNEL_ID) statusesByViewer.set(viewer, statuses.set(channelId, status))
  return status
}

export async function isViewerSubscribed(viewer: Viewer, channelId: number): Promise<boolean> {
  return (await findOwnStatus(viewer, channelId)) === 'subscribed'
}
