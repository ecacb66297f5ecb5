import { channelSubscribers } from '../../store/people/subscribers.ts'
import { queryClient } from '../../store/query-client.ts'
import { type PickerChoice, pickedIds } from './picker-choices.ts'

/** Returns the ids of the subscribers of picked channels. */
export async function membersOfPicked(picks: readonly PickerChoice[]): Promise<number[]> {
  const lists = await Promise.all(
    pickedIds(picks, 'channel').map((id) => queryClient.fetchQuery(channelSubscribers(id))),
  )
  return lists.flat()
}
