//! The standard normal distribution.
//!
//! `libm` computes the logarithms and the error function, because those of the standard library differ in the last digit between
//! platforms.

/// Returns the probability that a normally distributed value is at most `x`.
pub(super) fn cumulative(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Returns the quantile of `p`: the value that is not exceeded with probability `p`. Returns minus infinity for 0, infinity
/// for 1, and NaN outside the range from 0 to 1.
///
/// Source: M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37(3),
/// 1988, PPND16. The relative error is about 1e-16.
pub(super) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(r, &CENTRE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = libm::sqrt(-libm::log(tail));
    let value = if r <= 5.0 {
        ratio(r - 1.6, &MIDDLE)
    } else {
        ratio(r - 5.0, &FAR)
    };
    value.copysign(q)
}

/// The coefficients of a numerator and a denominator, highest power first.
type Ratio = [[f64; 8]; 2];

fn ratio(x: f64, [above, below]: &Ratio) -> f64 {
    let evaluate = |terms: &[f64; 8]| terms.iter().fold(0.0, |sum, term| sum * x + term);
    evaluate(above) / evaluate(below)
}

const CENTRE: Ratio = [
    [
        2.509_080_928_730_122_7e3,
        3.343_057_558_358_813e4,
        6.726_577_092_700_87e4,
        4.592_195_393_154_987e4,
        1.373_169_376_550_946e4,
        1.971_590_950_306_551_4e3,
        1.331_416_678_917_843_8e2,
        3.387_132_872_796_366_5,
    ],
    [
        5.226_495_278_852_854e3,
        2.872_908_573_572_194_3e4,
        3.930_789_580_009_271e4,
        2.121_379_430_158_659_7e4,
        5.394_196_021_424_751e3,
        6.871_870_074_920_579e2,
        4.231_333_070_160_091e1,
        1.0,
    ],
];

const MIDDLE: Ratio = [
    [
        7.745_450_142_783_414e-4,
        2.272_384_498_926_918_4e-2,
        2.417_807_251_774_506e-1,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        1.519_866_656_361_645_7e-2,
        1.481_039_764_274_800_8e-1,
        6.897_673_349_851e-1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
];

const FAR: Ratio = [
    [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        1.242_660_947_388_078_4e-3,
        2.653_218_952_657_612_4e-2,
        2.965_605_718_285_048_7e-1,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_8e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_8e-5,
        7.868_691_311_456_133e-4,
        1.487_536_129_085_061_5e-2,
        1.369_298_809_227_358e-1,
        5.998_322_065_558_88e-1,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_undoes_the_cumulative_probability() {
        for step in -80..=80 {
            let x = f64::from(step) / 10.0;
            // Above 0, the probability is near 1, so few digits remain for its distance from 1.
            let tolerance = if x > 0.0 {
                1e-15 / density(x) + 1e-13
            } else {
                1e-13 * (1.0 + x.abs())
            };
            let back = quantile(cumulative(x));
            assert!((back - x).abs() <= tolerance, "{x} came back as {back}");
        }
    }

    fn density(x: f64) -> f64 {
        libm::exp(-x * x / 2.0) / libm::sqrt(2.0 * std::f64::consts::PI)
    }

    /// The expected values were published: A. J. Strecok, "On the calculation of the inverse of the error function", 1968, and
    /// tables.
    #[test]
    fn quantiles_are_the_published_ones() {
        assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
        assert!((quantile(0.995) - 2.575_829_303_548_901).abs() < 1e-14);
        assert!((quantile(1e-10) + 6.361_340_902_404_056).abs() < 1e-13);
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
        assert!(quantile(1.5).is_nan());
    }
}
