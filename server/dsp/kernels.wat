;; The innermost loops of the analysis, four values at a time.
;; `npm run kernels` writes kernels-wasm.ts from it.
(module
  (memory (export "memory") 4)

  ;; State of a resampler between two calls.
  (global $at (export "at") (mut i32) (i32.const 0))
  (global $phase (mut i32) (i32.const 0))

  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; Resamples `have` floats at `line` with `phases` rows of `taps` (a multiple of 4) floats at `table`; a step is `whole`
  ;; floats and `rest` phases. Returns the number of floats written to `out`; `at` is how many of the line are no longer
  ;; needed.
  (func (export "resample")
    (param $line i32) (param $have i32) (param $table i32) (param $taps i32) (param $phases i32) (param $whole i32)
    (param $rest i32) (param $out i32) (result i32)
    (local $from i32) (local $row i32) (local $end i32) (local $made i32) (local $v v128) (local $bytes i32)
    (global.set $at (i32.const 0))
    (local.set $bytes (i32.shl (local.get $taps) (i32.const 2)))
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.add (global.get $at) (local.get $taps)) (local.get $have)))
        (local.set $from (i32.add (local.get $line) (i32.shl (global.get $at) (i32.const 2))))
        (local.set $row (i32.add (local.get $table) (i32.mul (global.get $phase) (local.get $bytes))))
        (local.set $end (i32.add (local.get $row) (local.get $bytes)))
        (local.set $v (v128.const f32x4 0 0 0 0))
        (loop $tap
          (local.set $v (f32x4.add (local.get $v)
            (f32x4.mul (v128.load (local.get $from)) (v128.load (local.get $row)))))
          (local.set $from (i32.add (local.get $from) (i32.const 16)))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $tap (i32.lt_u (local.get $row) (local.get $end))))
        (f32.store (i32.add (local.get $out) (i32.shl (local.get $made) (i32.const 2))) (call $sum (local.get $v)))
        (local.set $made (i32.add (local.get $made) (i32.const 1)))
        (global.set $phase (i32.add (global.get $phase) (local.get $rest)))
        (global.set $at (i32.add (global.get $at) (local.get $whole)))
        (if (i32.ge_u (global.get $phase) (local.get $phases)) (then
          (global.set $phase (i32.sub (global.get $phase) (local.get $phases)))
          (global.set $at (i32.add (global.get $at) (i32.const 1)))))
        (br $next)))
    (local.get $made))

  ;; The highest absolute value between samples: 12 taps of three phases each at `taps` (four equal floats for each),
  ;; for `count` (a multiple of 4) positions from `line` on. Where samples times `gain`, the sum of the taps of a phase,
  ;; are not above `least`, which is known already, there is nothing to be found, and most of music is like that.
  (func (export "truePeak") (param $line i32) (param $count i32) (param $taps i32) (param $gain f32) (param $least f32)
    (result f32)
    (local $end i32) (local $groupEnd i32) (local $k i32) (local $tap i32) (local $limit v128)
    (local $x v128) (local $a v128) (local $b v128) (local $c v128) (local $most v128)
    (local.set $most (f32x4.splat (local.get $least)))
    (local.set $limit (f32x4.splat (f32.div (local.get $least) (local.get $gain))))
    (local.set $end (i32.add (local.get $line) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $group
        (br_if $done (i32.ge_u (local.get $line) (local.get $end)))
        (local.set $groupEnd (i32.add (local.get $line) (i32.const 64)))
        (if (i32.gt_u (local.get $groupEnd) (local.get $end)) (then (local.set $groupEnd (local.get $end))))
        (local.set $x (v128.const f32x4 0 0 0 0))
        (local.set $k (i32.const 0))
        (loop $each ;; 16 positions and 11 after them
          (local.set $x
            (f32x4.pmax (local.get $x) (f32x4.abs (v128.load (i32.add (local.get $line) (local.get $k))))))
          (br_if $each (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 16))) (i32.const 112))))
        (if (v128.any_true (f32x4.gt (local.get $x) (local.get $limit))) (then
          (loop $next
            (local.set $a (v128.const f32x4 0 0 0 0))
            (local.set $b (v128.const f32x4 0 0 0 0))
            (local.set $c (v128.const f32x4 0 0 0 0))
            (local.set $k (i32.const 0))
            (local.set $tap (local.get $taps))
            (loop $each
              (local.set $x (v128.load (i32.add (local.get $line) (local.get $k))))
              (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $x) (v128.load (local.get $tap)))))
              (local.set $b (f32x4.add (local.get $b)
                (f32x4.mul (local.get $x) (v128.load offset=16 (local.get $tap)))))
              (local.set $c (f32x4.add (local.get $c)
                (f32x4.mul (local.get $x) (v128.load offset=32 (local.get $tap)))))
              (local.set $k (i32.add (local.get $k) (i32.const 4)))
              (local.set $tap (i32.add (local.get $tap) (i32.const 48)))
              (br_if $each (i32.lt_u (local.get $k) (i32.const 48))))
            (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (local.get $a))))
            (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (local.get $b))))
            (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (local.get $c))))
            (local.set $line (i32.add (local.get $line) (i32.const 16)))
            (br_if $next (i32.lt_u (local.get $line) (local.get $groupEnd))))
          (local.set $limit (f32x4.splat (f32.div (call $highest (local.get $most)) (local.get $gain))))))
        (local.set $line (local.get $groupEnd))
        (br $group)))
    (call $highest (local.get $most)))

  (func $highest (param $v v128) (result f32)
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.max (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; The highest absolute value of `count` floats.
  (func (export "peak") (param $from i32) (param $count i32) (result f32)
    (local $end i32) (local $whole i32) (local $most v128) (local $result f32)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $whole (i32.add (local.get $from) (i32.shl (i32.and (local.get $count) (i32.const -4)) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $from) (local.get $whole)))
        (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (v128.load (local.get $from)))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br $next)))
    (local.set $result (call $highest (local.get $most)))
    (block $rest
      (loop $one
        (br_if $rest (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $result (f32.max (local.get $result) (f32.abs (f32.load (local.get $from)))))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (br $one)))
    (local.get $result))

  ;; Compares a vector with `count` others of 64 bytes each: 56 signed bytes, an id, and as a float what the product is
  ;; multiplied with (one over the length). The last 8 bytes of `vector` are 0. Writes a float for each to `out`.
  (func (export "dots") (param $vector i32) (param $others i32) (param $count i32) (param $out i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $e v128) (local $f v128) (local $g v128) (local $sum v128)
    (local.set $a (v128.load8x8_s (local.get $vector)))
    (local.set $b (v128.load8x8_s offset=8 (local.get $vector)))
    (local.set $c (v128.load8x8_s offset=16 (local.get $vector)))
    (local.set $d (v128.load8x8_s offset=24 (local.get $vector)))
    (local.set $e (v128.load8x8_s offset=32 (local.get $vector)))
    (local.set $f (v128.load8x8_s offset=40 (local.get $vector)))
    (local.set $g (v128.load8x8_s offset=48 (local.get $vector)))
    (block $done
      (br_if $done (i32.eqz (local.get $count)))
      (loop $next
        (local.set $sum (i32x4.dot_i16x8_s (local.get $a) (v128.load8x8_s (local.get $others))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $b) (v128.load8x8_s offset=8 (local.get $others)))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $c) (v128.load8x8_s offset=16 (local.get $others)))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $d) (v128.load8x8_s offset=24 (local.get $others)))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $e) (v128.load8x8_s offset=32 (local.get $others)))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $f) (v128.load8x8_s offset=40 (local.get $others)))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $g) (v128.load8x8_s offset=48 (local.get $others)))))
        (f32.store (local.get $out)
          (f32.mul (call $sum (f32x4.convert_i32x4_s (local.get $sum))) (f32.load offset=60 (local.get $others))))
        (local.set $others (i32.add (local.get $others) (i32.const 64)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))

  ;; The power of bins 0 to `half` of the spectra of four frames of `2 * half` floats that begin `hop` bytes apart from
  ;; `line` on; a lane is a frame. A radix-4 transform of `half` complex numbers at `re` (real parts, then imaginary
  ;; ones). `order`: for each of them the offset in the frame, and the weights of the two samples there. `turns`: cosine
  ;; and sine of each step around the circle.
  (func (export "spectra")
    (param $line i32) (param $hop i32) (param $half i32) (param $order i32) (param $turns i32) (param $re i32)
    (param $power i32)
    (local $bytes i32) (local $i i32) (local $from i32) (local $x v128) (local $y v128) (local $h i32)
    (local.set $bytes (i32.shl (local.get $half) (i32.const 4)))
    (loop $each
      (local.set $from (i32.add (local.get $line) (i32.load (local.get $order))))
      (local.set $x (v128.load64_zero (local.get $from)))
      (local.set $from (i32.add (local.get $from) (local.get $hop)))
      (local.set $x (v128.load64_lane 1 (local.get $from) (local.get $x)))
      (local.set $from (i32.add (local.get $from) (local.get $hop)))
      (local.set $y (v128.load64_zero (local.get $from)))
      (local.set $from (i32.add (local.get $from) (local.get $hop)))
      (local.set $y (v128.load64_lane 1 (local.get $from) (local.get $y)))
      (v128.store (i32.add (local.get $re) (local.get $i))
        (f32x4.mul
          (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $x) (local.get $y))
          (v128.load32_splat offset=4 (local.get $order))))
      (v128.store (i32.add (i32.add (local.get $re) (local.get $bytes)) (local.get $i))
        (f32x4.mul
          (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $x) (local.get $y))
          (v128.load32_splat offset=8 (local.get $order))))
      (local.set $order (i32.add (local.get $order) (i32.const 12)))
      (br_if $each (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $bytes))))
    (local.set $h (i32.const 16))
    (if (i32.and (i32.ctz (local.get $half)) (i32.const 1)) (then
      (call $pairs (local.get $re) (local.get $bytes))
      (local.set $h (i32.const 32))))
    (loop $stage
      (call $fourfold (local.get $re) (local.get $bytes) (local.get $turns) (local.get $h))
      (br_if $stage
        (i32.lt_u (local.tee $h (i32.shl (local.get $h) (i32.const 2))) (local.get $bytes))))
    (call $powers (local.get $re) (local.get $bytes) (local.get $turns) (local.get $power)))

  ;; Sums and differences of neighbours.
  (func $pairs (param $re i32) (param $bytes i32)
    (local $end i32) (local $x v128) (local $y v128)
    (local.set $end (i32.add (local.get $re) (i32.shl (local.get $bytes) (i32.const 1))))
    (loop $each
      (local.set $x (v128.load (local.get $re)))
      (local.set $y (v128.load offset=16 (local.get $re)))
      (v128.store (local.get $re) (f32x4.add (local.get $x) (local.get $y)))
      (v128.store offset=16 (local.get $re) (f32x4.sub (local.get $x) (local.get $y)))
      (br_if $each (i32.lt_u (local.tee $re (i32.add (local.get $re) (i32.const 32))) (local.get $end)))))

  ;; Two steps of radix 2 in one go, on blocks of four times `h` bytes.
  (func $fourfold (param $re i32) (param $bytes i32) (param $turns i32) (param $h i32)
    (local $k i32) (local $a i32) (local $step i32) (local $turn i32) (local $end i32)
    (local $ai i32) (local $b i32) (local $c i32) (local $d i32)
    (local $c1 v128) (local $s1 v128) (local $c2 v128) (local $s2 v128)
    (local $br v128) (local $bi v128) (local $dr v128) (local $di v128) (local $pr v128) (local $pi v128)
    (local $qr v128) (local $qi v128) (local $tr v128) (local $ti v128) (local $vr v128) (local $vi v128)
    (local $ur v128) (local $ui v128)
    ;; of 8 bytes each; the circle has twice as many as there are numbers
    (local.set $step (i32.shl (i32.div_u (local.get $bytes) (local.get $h)) (i32.const 2)))
    (local.set $end (i32.add (local.get $re) (local.get $bytes)))
    (loop $turning
      (local.set $turn (i32.add (local.get $turns)
        (i32.mul (local.get $step) (i32.shr_u (local.get $k) (i32.const 4)))))
      (local.set $c1 (v128.load32_splat (local.get $turn)))
      (local.set $s1 (v128.load32_splat offset=4 (local.get $turn)))
      (local.set $turn (i32.sub (i32.shl (local.get $turn) (i32.const 1)) (local.get $turns)))
      (local.set $c2 (v128.load32_splat (local.get $turn)))
      (local.set $s2 (v128.load32_splat offset=4 (local.get $turn)))
      (local.set $a (i32.add (local.get $re) (local.get $k)))
      (loop $block
        (local.set $b (i32.add (local.get $a) (local.get $h)))
        (local.set $c (i32.add (local.get $b) (local.get $h)))
        (local.set $d (i32.add (local.get $c) (local.get $h)))
        (local.set $pr (v128.load (local.get $b)))
        (local.set $pi (v128.load (i32.add (local.get $b) (local.get $bytes))))
        (local.set $br (f32x4.sub
          (f32x4.mul (local.get $pr) (local.get $c2)) (f32x4.mul (local.get $pi) (local.get $s2))))
        (local.set $bi (f32x4.add
          (f32x4.mul (local.get $pr) (local.get $s2)) (f32x4.mul (local.get $pi) (local.get $c2))))
        (local.set $pr (v128.load (local.get $d)))
        (local.set $pi (v128.load (i32.add (local.get $d) (local.get $bytes))))
        (local.set $dr (f32x4.sub
          (f32x4.mul (local.get $pr) (local.get $c2)) (f32x4.mul (local.get $pi) (local.get $s2))))
        (local.set $di (f32x4.add
          (f32x4.mul (local.get $pr) (local.get $s2)) (f32x4.mul (local.get $pi) (local.get $c2))))
        (local.set $ai (i32.add (local.get $a) (local.get $bytes)))
        (local.set $tr (v128.load (local.get $a)))
        (local.set $ti (v128.load (local.get $ai)))
        (local.set $pr (f32x4.add (local.get $tr) (local.get $br)))
        (local.set $pi (f32x4.add (local.get $ti) (local.get $bi)))
        (local.set $qr (f32x4.sub (local.get $tr) (local.get $br)))
        (local.set $qi (f32x4.sub (local.get $ti) (local.get $bi)))
        (local.set $vr (v128.load (local.get $c)))
        (local.set $vi (v128.load (i32.add (local.get $c) (local.get $bytes))))
        (local.set $tr (f32x4.add (local.get $vr) (local.get $dr)))
        (local.set $ti (f32x4.add (local.get $vi) (local.get $di)))
        (local.set $vr (f32x4.sub (local.get $vr) (local.get $dr)))
        (local.set $vi (f32x4.sub (local.get $vi) (local.get $di)))
        (local.set $ur (f32x4.sub
          (f32x4.mul (local.get $tr) (local.get $c1)) (f32x4.mul (local.get $ti) (local.get $s1))))
        (local.set $ui (f32x4.add
          (f32x4.mul (local.get $tr) (local.get $s1)) (f32x4.mul (local.get $ti) (local.get $c1))))
        (v128.store (local.get $a) (f32x4.add (local.get $pr) (local.get $ur)))
        (v128.store (local.get $ai) (f32x4.add (local.get $pi) (local.get $ui)))
        (v128.store (local.get $c) (f32x4.sub (local.get $pr) (local.get $ur)))
        (v128.store (i32.add (local.get $c) (local.get $bytes)) (f32x4.sub (local.get $pi) (local.get $ui)))
        (local.set $ur (f32x4.add ;; times -i
          (f32x4.mul (local.get $vr) (local.get $s1)) (f32x4.mul (local.get $vi) (local.get $c1))))
        (local.set $ui (f32x4.sub
          (f32x4.mul (local.get $vi) (local.get $s1)) (f32x4.mul (local.get $vr) (local.get $c1))))
        (v128.store (local.get $b) (f32x4.add (local.get $qr) (local.get $ur)))
        (v128.store (i32.add (local.get $b) (local.get $bytes)) (f32x4.add (local.get $qi) (local.get $ui)))
        (v128.store (local.get $d) (f32x4.sub (local.get $qr) (local.get $ur)))
        (v128.store (i32.add (local.get $d) (local.get $bytes)) (f32x4.sub (local.get $qi) (local.get $ui)))
        (br_if $block
          (i32.lt_u
            (local.tee $a (i32.add (local.get $a) (i32.shl (local.get $h) (i32.const 2))))
            (local.get $end))))
      (br_if $turning (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 16))) (local.get $h)))))

  ;; From the transform of half as many complex numbers to the power of the real one.
  (func $powers (param $re i32) (param $bytes i32) (param $turns i32) (param $power i32)
    (local $im i32) (local $k i32) (local $other i32)
    (local $x v128) (local $y v128) (local $u v128) (local $v v128) (local $c v128) (local $s v128)
    (local $er v128) (local $ei v128) (local $or v128) (local $oi v128)
    (local.set $im (i32.add (local.get $re) (local.get $bytes)))
    (local.set $x (v128.load (local.get $re)))
    (local.set $y (v128.load (local.get $im)))
    (local.set $u (f32x4.add (local.get $x) (local.get $y)))
    (local.set $v (f32x4.sub (local.get $x) (local.get $y)))
    (v128.store (local.get $power) (f32x4.mul (local.get $u) (local.get $u)))
    (v128.store (i32.add (local.get $power) (local.get $bytes)) (f32x4.mul (local.get $v) (local.get $v)))
    (local.set $k (i32.const 16))
    (local.set $other (i32.sub (local.get $bytes) (i32.const 16)))
    (loop $each
      (local.set $turns (i32.add (local.get $turns) (i32.const 8)))
      (local.set $c (v128.load32_splat (local.get $turns)))
      (local.set $s (v128.load32_splat offset=4 (local.get $turns)))
      (local.set $x (v128.load (i32.add (local.get $re) (local.get $k))))
      (local.set $y (v128.load (i32.add (local.get $im) (local.get $k))))
      (local.set $u (v128.load (i32.add (local.get $re) (local.get $other))))
      (local.set $v (v128.load (i32.add (local.get $im) (local.get $other))))
      (local.set $er (f32x4.add (local.get $x) (local.get $u)))
      (local.set $ei (f32x4.sub (local.get $y) (local.get $v)))
      (local.set $or (f32x4.add (local.get $y) (local.get $v)))
      (local.set $oi (f32x4.sub (local.get $u) (local.get $x)))
      (local.set $x (f32x4.sub
        (f32x4.mul (local.get $or) (local.get $c)) (f32x4.mul (local.get $oi) (local.get $s))))
      (local.set $y (f32x4.add
        (f32x4.mul (local.get $or) (local.get $s)) (f32x4.mul (local.get $oi) (local.get $c))))
      (local.set $u (f32x4.add (local.get $er) (local.get $x)))
      (local.set $v (f32x4.add (local.get $ei) (local.get $y)))
      (v128.store (i32.add (local.get $power) (local.get $k)) (call $quarter (local.get $u) (local.get $v)))
      (local.set $u (f32x4.sub (local.get $er) (local.get $x)))
      (local.set $v (f32x4.sub (local.get $ei) (local.get $y)))
      (v128.store (i32.add (local.get $power) (local.get $other)) (call $quarter (local.get $u) (local.get $v)))
      (local.set $k (i32.add (local.get $k) (i32.const 16)))
      (local.set $other (i32.sub (local.get $other) (i32.const 16)))
      (br_if $each (i32.le_u (local.get $k) (local.get $other)))))

  ;; The power of twice a number.
  (func $quarter (param $re v128) (param $im v128) (result v128)
    (f32x4.mul (v128.const f32x4 0.25 0.25 0.25 0.25)
      (f32x4.add (f32x4.mul (local.get $re) (local.get $re)) (f32x4.mul (local.get $im) (local.get $im)))))

  ;; Sums of the power of four frames in `count` bands, into `out`. `bands`: for each the offset of its first bin, how
  ;; many there are, and their weights.
  (func (export "bands") (param $power i32) (param $bands i32) (param $count i32) (param $out i32)
    (local $from i32) (local $end i32) (local $sum v128)
    (loop $each
      (local.set $from (i32.add (local.get $power) (i32.load (local.get $bands))))
      (local.set $end (i32.add (local.get $from) (i32.shl (i32.load offset=4 (local.get $bands)) (i32.const 4))))
      (local.set $bands (i32.add (local.get $bands) (i32.const 8)))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (loop $bin
        (local.set $sum (f32x4.add (local.get $sum)
          (f32x4.mul (v128.load (local.get $from)) (v128.load32_splat (local.get $bands)))))
        (local.set $bands (i32.add (local.get $bands) (i32.const 4)))
        (br_if $bin (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 16))) (local.get $end))))
      (v128.store (local.get $out) (local.get $sum))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $each (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))

  ;; Two filters of second order, one after the other, on two channels of `count` floats: adds up the squares of what
  ;; comes out. `state`: pairs of nine coefficients, four values that stay for the next call, and the sums.
  (func (export "weighted") (param $left i32) (param $right i32) (param $count i32) (param $state i32)
    (local $end i32) (local $x v128) (local $y v128) (local $z v128)
    (local $s1 v128) (local $s2 v128) (local $r1 v128) (local $r2 v128) (local $sum v128) (local $was v128)
    (local.set $s1 (v128.load offset=144 (local.get $state)))
    (local.set $s2 (v128.load offset=160 (local.get $state)))
    (local.set $r1 (v128.load offset=176 (local.get $state)))
    (local.set $r2 (v128.load offset=192 (local.get $state)))
    (local.set $end (i32.add (local.get $left) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $left) (local.get $end)))
        (local.set $x (f64x2.promote_low_f32x4
          (v128.load32_lane 1 (local.get $right) (v128.load32_zero (local.get $left)))))
        (local.set $y (f64x2.add (f64x2.mul (local.get $x) (v128.load (local.get $state))) (local.get $s1)))
        (local.set $was (local.get $s1))
        (local.set $s1 (f64x2.sub
          (f64x2.add (f64x2.mul (local.get $x) (v128.load offset=16 (local.get $state))) (local.get $s2))
          (f64x2.mul (local.get $was) (v128.load offset=48 (local.get $state)))))
        (local.set $s2 (f64x2.sub
          (f64x2.mul (local.get $x) (v128.load offset=32 (local.get $state)))
          (f64x2.mul (local.get $was) (v128.load offset=64 (local.get $state)))))
        (local.set $z (f64x2.add (local.get $y) (local.get $r1)))
        (local.set $was (local.get $r1))
        (local.set $r1 (f64x2.sub
          (f64x2.add (f64x2.mul (local.get $y) (v128.load offset=80 (local.get $state))) (local.get $r2))
          (f64x2.mul (local.get $was) (v128.load offset=96 (local.get $state)))))
        (local.set $r2 (f64x2.sub
          (f64x2.mul (local.get $y) (v128.load offset=112 (local.get $state)))
          (f64x2.mul (local.get $was) (v128.load offset=128 (local.get $state)))))
        (local.set $sum (f64x2.add (local.get $sum) (f64x2.mul (local.get $z) (local.get $z))))
        (local.set $left (i32.add (local.get $left) (i32.const 4)))
        (local.set $right (i32.add (local.get $right) (i32.const 4)))
        (br $next)))
    (v128.store offset=144 (local.get $state) (local.get $s1))
    (v128.store offset=160 (local.get $state) (local.get $s2))
    (v128.store offset=176 (local.get $state) (local.get $r1))
    (v128.store offset=192 (local.get $state) (local.get $r2))
    (v128.store offset=208 (local.get $state) (local.get $sum)))

  ;; The sum of the products of `count` (a multiple of 4, rounded up) doubles.
  (func (export "product") (param $a i32) (param $b i32) (param $count i32) (result f64)
    (local $end i32) (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $count) (i32.const 3))))
    (loop $next
      (local.set $even (f64x2.add (local.get $even)
        (f64x2.mul (v128.load (local.get $a)) (v128.load (local.get $b)))))
      (local.set $odd (f64x2.add (local.get $odd)
        (f64x2.mul (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $next (i32.lt_u (local.tee $a (i32.add (local.get $a) (i32.const 32))) (local.get $end))))
    (local.set $even (f64x2.add (local.get $even) (local.get $odd)))
    (f64.add (f64x2.extract_lane 0 (local.get $even)) (f64x2.extract_lane 1 (local.get $even)))))
