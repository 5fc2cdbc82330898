// The picture of a video, slaved to the clock of the sound: silent, and moved where it is not where the sound is.

const FAR_S = 0.25 // from here on it jumps; nearer, its speed brings it back
const NEAR_S = 0.008 // a fifth of a picture at 24 a second: it is let be
const PULL = 0.8 // of the distance that a second of another speed makes good
const MOST_PULL = 0.1 // of the speed
const LATE_S = 0.08 // that a jump takes, as far as nobody knows better

export class VideoPicture {
  constructor(act) {
    this.element = document.createElement("video")
    Object.assign(this.element, {
      muted: true,
      preload: "auto",
      playsInline: true,
      hidden: true,
      disablePictureInPicture: true,
    })
    this.element.setAttribute("aria-label", "the video")
    this.element.addEventListener("dblclick", act)
    // Over the picture until something else than its beginning is seen, for films begin black.
    this.still = document.createElement("img")
    this.still.className = "still"
    this.still.alt = ""
    this.still.hidden = true
    this.moved = false
    this.url = ""
    this.zero = 0 // media time of the first picture
    this.where = null
    this.loop = 0
    this.late = LATE_S
    this.offsets = [] // of late: picture against sound, s
  }
  open(url, refused) {
    if (url === this.url) return
    this.url = url
    this.moved = false
    this.element.hidden = !url
    if (!url) {
      this.element.removeAttribute("src")
      this.element.load()
      return
    }
    const refuse = () => {
      if (url === this.url) refused()
    }
    this.element.addEventListener("error", refuse, { once: true })
    this.element.addEventListener(
      "loadedmetadata",
      () => {
        if (!this.element.videoWidth) refuse()
      },
      { once: true },
    )
    this.zero = 0
    this.element.src = url
    // A file may begin before its first picture, whose time is 0 for everybody else.
    this.element.requestVideoFrameCallback((_, seen) => {
      if (url === this.url && this.element.currentTime < 0.001) this.zero = seen.mediaTime
    })
  }
  /** Have a picture of the video to be seen until it is there, and while it stands at its beginning. */
  cover(address) {
    if (address && !this.still.src.endsWith(address)) this.still.src = address
    this.still.hidden = !address || this.moved
  }
  uncover() {
    this.moved = this.still.hidden = true
  }
  /** Stand at a time. */
  show(at) {
    this.where = null
    if (at > 0) this.uncover()
    this.element.pause()
    if (this.url) this.element.currentTime = at + this.zero
  }
  /** Run with a clock: `where(now)` is what is heard at a time of `performance.now()`, null while nothing is. */
  follow(where) {
    this.where = where
    if (!this.url) return
    this.uncover()
    this.jump(performance.now())
    this.element.play().catch(() => {})
    this.watch()
  }
  jump(now) {
    const at = this.where(now)
    if (at === null) return
    this.element.playbackRate = 1
    this.jumped = now
    this.element.currentTime = at + this.zero + this.late
  }
  watch() {
    this.element.cancelVideoFrameCallback(this.loop)
    this.loop = this.element.requestVideoFrameCallback((now, seen) => {
      if (!this.where) return
      const at = this.where(seen.expectedDisplayTime)
      if (at !== null && !this.element.seeking) {
        const off = seen.mediaTime - this.zero - at
        this.offsets.push([at, off])
        if (this.offsets.length > 20000) this.offsets.shift()
        if (Math.abs(off) > FAR_S) {
          if (now - this.jumped < 3000) this.late = Math.min(0.5, Math.max(0, this.late - off))
          this.jump(now)
        } else {
          const pull = Math.abs(off) < NEAR_S ? 0 : Math.max(-MOST_PULL, Math.min(MOST_PULL, PULL * off))
          const speed = 1 - pull
          if (Math.abs(this.element.playbackRate - speed) > 0.002) this.element.playbackRate = speed
        }
      }
      this.watch()
    })
  }
  /** Run at another speed; back it is moved picture by picture. */
  runAt(speed, where) {
    this.where = null
    if (!this.url) return
    this.uncover()
    if (speed > 0) {
      this.element.playbackRate = speed
      this.element.play().catch(() => {})
      return
    }
    this.element.pause()
    const back = () => {
      if (this.where !== back) return
      if (!this.element.seeking) this.element.currentTime = where() + this.zero
      requestAnimationFrame(back)
    }
    this.where = back
    back()
  }
  close() {
    this.show(0)
    this.open("", () => {})
  }
}
