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

  ;; Resamples `have` floats at `line` with `phases` rows of `taps` (a multiple of 4) floats at `table`. Returns the
  ;; number of floats written to `out`; `at` is how many of the line are no longer needed.
  (func (export "resample")
    (param $line i32) (param $have i32) (param $table i32) (param $taps i32) (param $phases i32) (param $step i32)
    (param $out i32) (result i32)
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
        (global.set $phase (i32.add (global.get $phase) (local.get $step)))
        (global.set $at (i32.add (global.get $at) (i32.div_u (global.get $phase) (local.get $phases))))
        (global.set $phase (i32.rem_u (global.get $phase) (local.get $phases)))
        (br $next)))
    (local.get $made))

  ;; The highest absolute value between samples: 12 taps of three phases each at `taps` (four equal floats for each),
  ;; for `count` (a multiple of 4) positions from `line` on.
  (func (export "truePeak") (param $line i32) (param $count i32) (param $taps i32) (result f32)
    (local $end i32) (local $k i32) (local $tap i32)
    (local $x v128) (local $a v128) (local $b v128) (local $c v128) (local $most v128)
    (local.set $end (i32.add (local.get $line) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $line) (local.get $end)))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (v128.const f32x4 0 0 0 0))
        (local.set $c (v128.const f32x4 0 0 0 0))
        (local.set $k (i32.const 0))
        (local.set $tap (local.get $taps))
        (loop $each
          (local.set $x (v128.load (i32.add (local.get $line) (local.get $k))))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $x) (v128.load (local.get $tap)))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $x) (v128.load offset=16 (local.get $tap)))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $x) (v128.load offset=32 (local.get $tap)))))
          (local.set $k (i32.add (local.get $k) (i32.const 4)))
          (local.set $tap (i32.add (local.get $tap) (i32.const 48)))
          (br_if $each (i32.lt_u (local.get $k) (i32.const 48))))
        (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (local.get $a))))
        (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (local.get $b))))
        (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (local.get $c))))
        (local.set $line (i32.add (local.get $line) (i32.const 16)))
        (br $next)))
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
        (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))))
