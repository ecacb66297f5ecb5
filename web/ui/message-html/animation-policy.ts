import { createStore } from '../create-store.ts'

/** The condition under which animated pictures in messages play. */
export type AnimationPolicy = 'always' | 'on_hover' | 'never'

export const animationPolicy = createStore<AnimationPolicy>('on_hover')
