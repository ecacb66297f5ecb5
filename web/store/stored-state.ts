import { createAtom, shallow, useSelector } from '@tanstack/react-store'
import { useState } from 'react'
import { EDIT_PREFIX } from '../browser/compose-requests.ts'
import { storesPersonalData } from '../browser/personal-data.ts'
import { useOrganization } from './organization.ts'

const PREFIX = 'parley.kept.'

/** The storage keys of all states that are stored now. */
const storedKeys = createAtom<ReadonlySet<string>>(new Set(readKeys()))

if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => {
    if (key === null || key.startsWith(PREFIX)) storedKeys.set(new Set(readKeys()))
  })

/**
 * Returns state that belongs to the user and this tab. It survives unmounting, reloading and logging in again; `forget`
 * removes it. Edits of messages belong to all tabs, and survive closing them. Properties that an earlier version of the
 * client did not store are taken from `first`.
 */
export function useStoredState<Value extends object>(
  name: string,
  first: () => Value,
): [value: Value, change: (part: Partial<Value>) => void, forget: () => void] {
  const { user_id } = useOrganization('user_id')
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

/** Returns true while the state is stored. */
export const useIsStored = (userId: number, name: string): boolean =>
  useSelector(storedKeys, (all) => all.has(keyOf(userId, name)))

/** Returns the names of the stored states that begin with `prefix`. */
export const useStoredNames = (userId: number, prefix: string): readonly string[] =>
  useSelector(storedKeys, (all) => namesIn(all, userId, prefix), { compare: shallow })

/** Returns the number of the stored states whose names begin with `prefix`. */
export const countStored = (userId: number, prefix: string): number => namesIn(storedKeys.get(), userId, prefix).length

function namesIn(keys: ReadonlySet<string>, userId: number, prefix: string): string[] {
  const start = keyOf(userId, prefix)
  return [...keys].flatMap((key) => (key.startsWith(start) ? [prefix + key.slice(start.length)] : []))
}

/** Returns the stored state; empty if there is none. */
export const readStored = <Value extends object>(userId: number, name: string): Partial<Value> =>
  read<Value>(keyOf(userId, name))

/** Removes the stored state while no component uses it. Returns a function that stores it again. */
export function discardStored(userId: number, name: string): () => void {
  const key = keyOf(userId, name)
  const value = read<object>(key)
  write(key, null)
  return () => write(key, value)
}

const keyOf = (userId: number, name: string): string => `${PREFIX}${userId}.${name}`

/** Returns the storage of a state: that of all tabs for edits of messages, otherwise that of this tab. */
const storageOf = (key: string): Storage =>
  key
    .slice(PREFIX.length)
    .replace(/^\d+\./, '')
    .startsWith(EDIT_PREFIX)
    ? localStorage
    : sessionStorage

function read<Value>(key: string): Partial<Value> {
  try {
    return JSON.parse(storageOf(key).getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

function readKeys(): string[] {
  try {
    return [...Object.keys(sessionStorage), ...Object.keys(localStorage)]
  } catch {
    return []
  }
}

function write(key: string, value: object | null): void {
  // React may call this while it renders, when stores must not change.
  queueMicrotask(() => {
    if ((value !== null) === storedKeys.get().has(key)) return
    const others = [...storedKeys.get()].filter((one) => one !== key)
    storedKeys.set(new Set(value === null ? others : [...others, key]))
  })
  try {
    if (value === null) storageOf(key).removeItem(key)
    else if (storesPersonalData()) storageOf(key).setItem(key, JSON.stringify(value))
  } catch {
    // Without storage, the state lasts until the component is unmounted.
  }
}
