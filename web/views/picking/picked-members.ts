import { channelSubscribers } from '../../store/people/subscribers.ts'
import { queryClient } from '../../store/query-client.ts'
import { type Choice, idsOf } from './picks.ts'

/** The ids of the people in the channels that are picked. */
export async function membersOfPicked(picks: readonly Choice[]): Promise<number[]> {
  const lists = await Promise.all(idsOf(picks, 'channel').map((id) => queryClient.fetchQuery(channelSubscribers(id))))
  return lists.flat()
}
