import { useEffect, useState } from 'react'

/** Returns an object URL of the file. The URL is revoked on unmount. */
export function useFileAddress(file: File): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address
}
