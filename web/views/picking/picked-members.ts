import { channelSubscribers } from '../../store/people/subscribers.ts'
import { queryClient } from '../../store/query-client.ts'
import { type PickerChoice, pickedIds } from './picker-choices.ts'

/** The ids of the people in the channels that are picked. */
export async function membersOfPicked(picks: readonly PickerChoice[]): Promise<number[]> {
  const lists = await Promise.all(
    pickedIds(picks, 'channel').map((id) => queryClient.fetchQuery(channelSubscribers(id))),
  )
  return lists.flat()
}
