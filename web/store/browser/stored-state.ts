import { useState } from 'react'
import { useOrganization } from '../organization.ts'
import { storesPersonalData } from './personal-data.ts'

/**
 * Returns state that belongs to the user and this tab. It survives unmounting, reloading and logging in again; `forget`
 * removes it. Properties that an earlier version of the client did not store are taken from `first`.
 */
export function useStoredState<Value extends object>(
  name: string,
  first: () => Value,
): [value: Value, change: (part: Partial<Value>) => void, forget: () => void] {
  const { user_id } = useOrganization()
  const key = keyOf(user_id, name)
  const [value, setValue] = useState(() => ({ ...first(), ...read<Value>(key) }))
  return [
    value,
    (part) =>
      setValue((before) => {
        const after = { ...before, ...part }
        write(key, after)
        return after
      }),
    () => {
      write(key, null)
      setValue(first())
    },
  ]
}

/** Changes the stored state while no component uses it. */
export function changeStored<Value extends object>(
  userId: number,
  name: string,
  first: Value,
  change: (value: Value) => Value,
): void {
  const key = keyOf(userId, name)
  write(key, change({ ...first, ...read<Value>(key) }))
}

const keyOf = (userId: number, name: string): string => `parley.kept.${userId}.${name}`

function read<Value>(key: string): Partial<Value> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

function write(key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key)
    else if (storesPersonalData()) sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Without storage, the state lasts until the component is unmounted.
  }
}
